import { expect, test } from 'vitest';
import { createRerankGeneration } from '../../../../src/core/generation/index.ts';
import type { ExpectedUse } from '../../../../src/core/limits/index.ts';
import type { RerankRequest } from '../../../../src/core/models/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';

const PRICES = [{ input: 1_000_000, request: 1 }];

/** Returns the estimate of the tokens, and the dollars that are reserved: one for a token, and one for a search. */
async function expectedOf(fields: Partial<RerankRequest>): Promise<{ tokens: number; usd: number }> {
  const seen: ExpectedUse[] = [];
  const limits = {
    reserve: async (_: unknown, use: ExpectedUse) => {
      seen.push(use);
      throw new Error('that is all');
    },
  };
  const generation = createRerankGeneration({
    rerank: { rerank: () => Promise.reject(new Error('not reached')) },
    usage: { record: () => {} },
    clock: systemClock,
    limits,
    findPrices: () => PRICES,
  });
  const request = { model: 'm', query: '', documents: [], ...fields };
  await generation.rerank({ userId: 1, keyId: undefined }, request, new AbortController().signal).catch(() => {});
  const [use] = seen;
  return { tokens: Number(use?.tokens()), usd: Number(use?.spending?.cost()?.mostUsd) };
}

test.each<[string, object, number]>([
  ['text', { text: 'x'.repeat(4000) }, 1000],
  ['other fields beside a text', { text: 'x', title: 'y'.repeat(4000) }, 1000],
  ['nested fields', { content: [{ type: 'text', text: 'x'.repeat(4000) }] }, 1000],
  ['a text in a field of images', { image: 'x y '.repeat(1000) }, 1000],
  ['an image beside a text', { text: 'x', image: 'data:image/png;base64,AAAA' }, 8192],
  ['an image by its address', { image_url: { url: 'https://example.com/a.png' } }, 8192],
])('%s of documents counts', async (_, document, least) => {
  const { tokens, usd } = await expectedOf({ documents: [document as { text: string }] });
  expect(tokens).toBeGreaterThanOrEqual(least);
  expect(tokens).toBeLessThan(least + 50);
  expect(usd).toBeGreaterThan(tokens);
});

test('the query counts with each document, and each hundred documents is a search', async () => {
  const one = await expectedOf({ query: 'x'.repeat(1000), documents: ['a'] });
  expect(one.usd).toBeGreaterThan(1000);
  const many = await expectedOf({ query: 'x'.repeat(1000), documents: Array(101).fill('a') });
  expect(many.usd - 2).toBe((one.usd - 1) * 101);
});
