import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerMessage, answerModels } from '../../../../../support/hosts/fake-anthropic.ts';
import { answerJson } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startAnthropicUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

const supported = { supported: true };
const capabilities = {
  image_input: supported,
  pdf_input: supported,
  effort: { supported: true, low: supported },
  thinking: { supported: true, types: { adaptive: supported, enabled: { supported: false } } },
};
const MODELS = [
  { id: 'claude-new', display_name: 'Claude New', max_input_tokens: 1_000_000, max_tokens: 128_000, capabilities },
  { id: 'claude-gone', display_name: 'Claude Gone', lifecycle: 'retired' },
  { id: 'claude-old', display_name: 'Claude Old', capabilities: null, max_input_tokens: null },
  { id: 'embed-1', display_name: 'Embeddings' },
  { id: 'claude-older', display_name: 'Claude Older' },
];

describe('the models of an Anthropic provider', () => {
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    const config = { preferredModels: ['claude-old'] };
    ({ host, provider, close } = await startAnthropicUnderTest(config));
    host.behaveAtModels(answerModels(MODELS));
  });
  afterEach(() => close());

  it('come from all pages of its list, with what it says about them', async () => {
    const models = await provider.listModels(noAbort());
    expect(models.map(({ id }) => id)).toEqual(['claude-old', 'claude-new', 'claude-older']);
    expect(models[1]).toMatchObject({
      type: 'chat',
      displayName: 'Claude New',
      created: Date.UTC(2026, 8, 28) / 1000,
      contextLength: 1_000_000,
      acceptsImages: true,
      acceptsPdf: true,
    });
    expect(host.requests.map(({ url }) => url)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=claude-gone',
      '/v1/models?limit=1000&after_id=embed-1',
    ]);
    expect(host.requests[0]?.headers).toMatchObject({
      'x-api-key': 'sk-first-key',
      'anthropic-version': '2023-06-01',
    });
  });

  it('are asked within their limits', async () => {
    await provider.listModels(noAbort());
    host.behaveUsually(answerMessage());
    await provider.chat.complete(helloRequest({ model: 'claude-new', reasoning_effort: 'low' }), noAbort());
    expect(host.chatRequests[0]?.body).toMatchObject({
      max_tokens: 128_000,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    });
  });

  it('may come from the settings', async () => {
    await close();
    ({ host, provider, close } = await startAnthropicUnderTest({ models: [{ id: 'mine', type: 'chat' }] }));
    expect(await provider.listModels(noAbort())).toEqual([{ id: 'mine', type: 'chat' }]);
    expect(host.requests).toEqual([]);
  });

  it.each([
    ['no list', { detail: 'hello' }],
    ['a page without end', { data: [{ id: 'a' }], has_more: true, last_id: 'a' }],
  ])('are bounded and checked if the host sends %s', async (_, body) => {
    host.behaveAtModels(answerJson(200, body));
    const listing = provider.listModels(noAbort());
    if ('detail' in body) expect(await failureOf(listing)).toMatchObject({ name: 'ProviderUnavailableError' });
    else expect((await listing).map(({ id }) => id)).toEqual(['a']);
    expect(host.requests.length).toBeLessThan(3);
  });
});
