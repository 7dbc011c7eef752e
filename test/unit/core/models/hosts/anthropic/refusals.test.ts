import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerMessage, anthropicError, messagesEvent } from '../../../../../support/hosts/fake-anthropic.ts';
import { answerJson, type Behaviour, streamRaw } from '../../../../../support/hosts/fake-provider.ts';
import {
  drain,
  failureOf,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startAnthropicUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../../../../support/machine/fake-clock.ts';

let host: ProviderUnderTest['host'];
let provider: ProviderUnderTest['provider'];
let close: ProviderUnderTest['close'];
const clock = createFakeClock();
beforeEach(async () => {
  ({ host, provider, close } = await startAnthropicUnderTest({ apiKeys: ['sk-first-key', 'sk-second-key'] }, clock));
});
afterEach(() => close());
const complete = (fields = {}) => provider.chat.complete(helloRequest({ max_tokens: 9, ...fields }), noAbort());
const stream = () => provider.chat.stream(helloRequest({ max_tokens: 9 }), noAbort());
const refuse = (status: number, type: string, message = 'No.', headers = {}) =>
  answerJson(status, anthropicError(type, message), headers);

describe('a refusal of Anthropic', () => {
  it.each([
    [400, 'invalid_request_error', null],
    [413, 'request_too_large', null],
  ])('with status %i is about the request', async (status, type, code) => {
    host.behave(refuse(status, type, 'messages.0: Field required'));
    expect(await failureOf(complete())).toMatchObject({
      name: 'ProviderRejectedError',
      status,
      details: { message: 'messages.0: Field required', code },
    });
  });

  it.each([
    ['prompt is too long: 210000 tokens > 200000 maximum'],
    ['input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000'],
  ])('because "%s" has the code of OpenAI', async (message) => {
    host.behave(refuse(400, 'invalid_request_error', message));
    expect(await failureOf(complete())).toMatchObject({ details: { message, code: 'context_length_exceeded' } });
  });

  it.each([
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('with status %i is about the provider, as an answer and as the first event of a stream', async (status, type) => {
    const unavailable = { name: 'ProviderUnavailableError', status };
    host.behaveUsually(refuse(status, type));
    expect(await failureOf(complete())).toMatchObject(unavailable);
    host.behaveUsually(answerJson(200, anthropicError(type, 'No.')));
    expect(await failureOf(complete())).toMatchObject(unavailable);
    host.behaveUsually(streamRaw([messagesEvent({ type: 'ping' }), messagesEvent(anthropicError(type, 'No.'))]));
    expect(await failureOf(stream())).toMatchObject(unavailable);
  });

  it('in the middle of a stream breaks it off', async () => {
    host.behave((exchange) =>
      streamRaw([
        messagesEvent({ type: 'message_start', message: { id: 'm', usage: {} } }),
        messagesEvent(anthropicError('overloaded_error', 'Overloaded')),
      ])(exchange),
    );
    expect((await drain(await stream())).failure).toMatchObject({
      name: 'ProviderStreamError',
      message: expect.stringContaining('Overloaded'),
      cause: { status: 529 },
    });
  });

  it('says when to try again', async () => {
    host.behaveUsually(refuse(429, 'rate_limit_error', 'slow down', { 'retry-after': '7' }));
    expect(await failureOf(complete())).toMatchObject({ status: 429, retryAfterMs: 7000 });
  });

  it.each([
    ['a wrong key', refuse(401, 'authentication_error', 'invalid x-api-key')],
    ['a rate limit', refuse(429, 'rate_limit_error')],
    [
      'an empty account',
      refuse(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
    ],
    [
      'a spend limit',
      refuse(400, 'invalid_request_error', 'You have reached your specified API usage limits. Access returns on …'),
    ],
  ])('because of %s rests the key, and the next one is used', async (_, behaviour: Behaviour) => {
    host.behave(behaviour);
    await complete();
    await complete();
    const keys = host.chatRequests.map(({ headers }) => headers['x-api-key']);
    expect(keys).toEqual(['sk-first-key', 'sk-second-key', 'sk-second-key']);
  });

  it('never shows a key', async () => {
    host.behave(refuse(400, 'invalid_request_error', 'bad key sk-first-key and sk-ant-api03-abcdef'));
    const error = await failureOf(complete());
    expect(JSON.stringify([error, String(error)])).not.toMatch(/sk-first-key|sk-ant-api03/);
  });
});

describe('a setting that a model refuses', () => {
  const bodies = () => host.chatRequests.map(({ body }) => body);

  it('is replaced by the next one that it takes, which is remembered', async () => {
    host.behaveUsually((exchange) => {
      const { max_tokens: maxTokens, thinking } = exchange.request.body;
      if (Number(maxTokens) > 8192) {
        const message = `max_tokens: ${String(maxTokens)} > 8192, which is the maximum allowed number of output tokens for it`;
        return refuse(400, 'invalid_request_error', message)(exchange);
      }
      if (JSON.stringify(thinking)?.includes('adaptive'))
        return refuse(400, 'invalid_request_error', 'adaptive thinking is not supported on this model')(exchange);
      return answerMessage()(exchange);
    });
    for (let turn = 0; turn < 2; turn++) await complete({ max_tokens: undefined, reasoning_effort: 'low' });
    const manual = { type: 'enabled', budget_tokens: 1638 };
    expect(bodies().map(({ max_tokens: maxTokens, thinking }) => [maxTokens, thinking])).toEqual([
      [32_000, { type: 'adaptive', display: 'summarized' }],
      [8192, { type: 'adaptive', display: 'summarized' }],
      [8192, manual],
      [8192, manual],
    ]);
    expect(bodies().at(-1)).not.toHaveProperty('output_config');
  });

  it('is the answer if there is no other way', async () => {
    host.behaveUsually(refuse(400, 'invalid_request_error', 'thinking is not supported on this model'));
    expect(await failureOf(complete({ max_tokens: 4000, reasoning_effort: 'low' }))).toMatchObject({
      name: 'ProviderRejectedError',
      message: 'thinking is not supported on this model',
    });
    expect(bodies()).toHaveLength(2);
  });

  it('is left out if it is optional', async () => {
    host.behave(refuse(400, 'invalid_request_error', '`temperature` is deprecated for this model.'));
    const request = { ...helloRequest({ max_tokens: 9 }), optional: ['temperature'] as const };
    await provider.chat.complete({ ...request, sampling: { temperature: 1 } }, noAbort());
    expect(bodies().map(({ temperature }) => temperature)).toEqual([1, undefined]);
    host.behave(refuse(400, 'invalid_request_error', '`temperature` is deprecated for this model.'));
    expect(await failureOf(complete({ temperature: 1 }))).toMatchObject({ name: 'ProviderRejectedError' });
  });

  it('or the API does not know is refused without asking the host', async () => {
    expect(await failureOf(complete({ n: 2 }))).toMatchObject({
      name: 'UntranslatableError',
      status: 400,
      details: { param: 'n', message: "'n' must be 1 with this model.", code: null },
    });
    expect(bodies()).toEqual([]);
  });
});
