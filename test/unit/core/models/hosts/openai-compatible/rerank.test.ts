import { afterEach, expect, it } from 'vitest';
import { answerJson } from '../../../../../support/hosts/fake-provider.ts';
import { type ProviderUnderTest, startProviderUnderTest } from '../../../../../support/hosts/provider-under-test.ts';

let under: ProviderUnderTest | undefined;
afterEach(() => under?.close());

it.each([
  [undefined, '/v1/rerank'],
  ['ranking/v2', '/v1/ranking/v2'],
  ['/v2/rerank', '/v2/rerank'],
])('documents are sent to the address that the settings name: %s', async (rerankUrl, expected) => {
  under = await startProviderUnderTest({ rerankUrl });
  const { host, provider } = under;
  host.behaveElsewhere(answerJson(200, { results: [{ index: 0, relevance_score: 1 }] }));
  await provider.rerank?.rerank({ model: 'm', query: 'q', documents: ['d'] }, new AbortController().signal);
  expect(host.requests.map(({ url }) => url)).toEqual([expected]);
});
