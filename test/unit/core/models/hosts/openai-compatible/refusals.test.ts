import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerJson, answerRaw, openAiError } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../../../../support/machine/fake-clock.ts';

const KEYS = ['sk-first-key', 'sk-second-key', 'sk-third-key'];

describe('a refusal', () => {
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await startProviderUnderTest());
  });
  afterEach(() => close());
  const complete = () => provider.chat.complete(helloRequest(), noAbort());

  it.each([400, 413, 415, 422, 451])('with status %i is about the request', async (status) => {
    host.behave(answerJson(status, openAiError('messages is wrong', 'bad_messages', 'messages')));
    expect(await failureOf(complete())).toMatchObject({
      name: 'ProviderRejectedError',
      status,
      details: { message: 'messages is wrong', code: 'bad_messages', param: 'messages' },
    });
  });

  it.each([401, 402, 403, 404, 405, 408, 409, 410, 429, 500, 502, 503, 504, 529])(
    'with status %i is about the provider',
    async (status) => {
      host.behave(answerJson(status, openAiError('not now')));
      expect(await failureOf(complete())).toMatchObject({
        name: 'ProviderUnavailableError',
        status,
        message: `host answered ${status}: not now`,
      });
    },
  );

  it.each([
    ['an unknown model', 404, openAiError('The model `x` does not exist', 'model_not_found')],
    ['a removed model', 404, openAiError('The model has been decommissioned', 'model_decommissioned')],
    ['a name that is no model', 404, { error: { message: 'foo/bar is not a valid model ID', code: 400 } }],
    [
      'a wrong key, as Google answers',
      401,
      [
        {
          error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
        },
      ],
    ],
    ['a wrong key, as xAI answers', 401, { code: 'x', error: 'Incorrect API key provided: ab***yz.' }],
  ])('with status 400 for %s is about the provider and counts as %i', async (_, status, body) => {
    host.behave(answerJson(400, body));
    expect(await failureOf(complete())).toMatchObject({ name: 'ProviderUnavailableError', status });
  });

  it.each([
    ['OpenAI', openAiError('say it')],
    ['a plain string', { error: 'say it' }],
    ['a message', { message: 'say it', type: 'x' }],
    ['a detail', { detail: 'say it' }],
    ['FastAPI’s list', { detail: [{ loc: ['body'], msg: 'say it', type: 'missing' }] }],
    ['Google’s list', [{ error: { code: 422, message: 'say it', status: 'X' } }]],
    ['a nested error', { error: { error: 'say it' } }],
    ['a list of errors', { errors: [{ code: 7003, message: 'say it' }] }],
    ['several lines', openAiError('  say\n\tit ')],
  ])('in the words of %s is recognized', async (_, body) => {
    host.behave(answerJson(422, body));
    expect(await failureOf(complete())).toMatchObject({ message: 'say it' });
  });

  it('has no code if its code is its status', async () => {
    host.behave(answerJson(422, { error: { code: 422, message: 'say it', type: 'x' } }));
    expect(await failureOf(complete())).toMatchObject({ details: { code: null } });
  });

  it('in plain text is recognized', async () => {
    host.behave(answerRaw(422, 'text/plain', 'say it'));
    expect(await failureOf(complete())).toMatchObject({ message: 'say it' });
  });

  it.each([
    ['the key itself', 'Incorrect API key provided: sk-first-key. See the docs.', 'sk-first-key'],
    ['a masked key', 'Incorrect API key provided: abcd****wxyz.', 'abcd'],
    ['a key of its own provider', 'invalid_api_key gsk_abcdef1234567890', 'abcdef'],
    ['an address with a key in it', 'GET https://x/?key=AIzaSyA1234567890abcdef failed', 'SyA1234'],
    ['a bearer', 'sent Authorization: Bearer very.secret.token', 'very.secret'],
  ])('never shows %s', async (_, message, secret) => {
    host.behave(answerJson(401, openAiError(message)), answerJson(422, openAiError(message)));
    for (let turn = 0; turn < 2; turn++) {
      const error = await failureOf(complete());
      expect(JSON.stringify([error, String(error)])).not.toContain(secret);
    }
  });

  it('contains the time to leave the provider alone', async () => {
    host.behave(answerJson(429, openAiError('slow down'), { 'retry-after': '7' }));
    expect(await failureOf(complete())).toMatchObject({ status: 429, retryAfterMs: 7000 });
    host.behave(answerJson(503, openAiError('busy'), { 'retry-after-ms': '250' }));
    expect(await failureOf(complete())).toMatchObject({ status: 503, retryAfterMs: 250 });
  });
});

describe('several keys', () => {
  const clock = createFakeClock();
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await startProviderUnderTest({ apiKeys: KEYS, headers: { 'x-extra': 'yes' } }, clock));
  });
  afterEach(() => close());
  const complete = (model = 'fake-model') => provider.chat.complete(helloRequest({ model }), noAbort());
  const usedKeys = () =>
    host.chatRequests.map(({ headers }) => headers.authorization?.replace('Bearer sk-', '').replace('-key', ''));

  it('are used in order; extra headers are sent with them', async () => {
    await complete();
    await complete();
    expect(usedKeys()).toEqual(['first', 'first']);
    expect(host.chatRequests[0]?.headers['x-extra']).toBe('yes');
  });

  it.each([401, 402, 429])('replace each other after %i, within one request and for later ones', async (status) => {
    host.behave(answerJson(status, openAiError('no')), answerJson(status, openAiError('no')));
    await complete();
    await complete();
    expect(usedKeys()).toEqual(['first', 'second', 'third', 'third']);
  });

  it('are used again after their rest', async () => {
    host.behave(answerJson(429, openAiError('no'), { 'retry-after': '60' }));
    await complete();
    await clock.advance(59_000);
    await complete();
    await clock.advance(2_000);
    await complete();
    expect(usedKeys()).toEqual(['first', 'second', 'second', 'first']);
  });

  it('rest for one model when it is rate limited, for all models when they are refused', async () => {
    host.behave(answerJson(429, openAiError('no')));
    await complete('one');
    await complete('two');
    host.behave(answerJson(401, openAiError('no')));
    await complete('two');
    await complete('three');
    expect(usedKeys()).toEqual(['first', 'second', 'first', 'first', 'second', 'second']);
  });

  it('are all tried before the provider fails, even if all rest', async () => {
    host.behaveUsually(answerJson(429, openAiError('limit'), { 'retry-after': '5' }));
    expect(await failureOf(complete())).toMatchObject({
      name: 'ProviderUnavailableError',
      status: 429,
      retryAfterMs: 5000,
    });
    expect(await failureOf(complete())).toMatchObject({ status: 429 });
    expect(usedKeys()).toHaveLength(6);
  });

  it('are not tried for an invalid request', async () => {
    host.behave(answerJson(400, openAiError('bad')));
    expect(await failureOf(complete())).toMatchObject({ name: 'ProviderRejectedError' });
    expect(usedKeys()).toEqual(['first']);
  });

  it('are optional', async () => {
    const keyless = await startProviderUnderTest({ apiKeys: [] });
    await keyless.provider.chat.complete(helloRequest(), noAbort());
    expect(keyless.host.chatRequests[0]?.headers.authorization).toBeUndefined();
    await keyless.close();
  });
});

describe('a prompt that violates the rules of a host', () => {
  it('is refused without resting a key, with any status', async () => {
    const { host, provider, close } = await startProviderUnderTest({ apiKeys: KEYS });
    host.behave(
      answerJson(403, {
        error: { code: 403, message: 'Your chosen model requires moderation and your input was flagged' },
      }),
    );
    expect(await failureOf(provider.chat.complete(helloRequest(), noAbort()))).toMatchObject({
      name: 'ProviderRejectedError',
      status: 400,
      details: { code: null },
    });
    await provider.chat.complete(helloRequest(), noAbort());
    expect(host.chatRequests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first-key',
      'Bearer sk-first-key',
    ]);
    await close();
  });
});
