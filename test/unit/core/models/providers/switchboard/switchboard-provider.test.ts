import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ASPECT_RATIOS, parseRatio } from '../../../../../../src/core/images/index.ts';
import {
  type ImageRequest,
  ProviderRejectedError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../../../../src/core/models/index.ts';
import {
  createSwitchboardProvider,
  type SwitchboardConfig,
} from '../../../../../../src/core/models/providers/switchboard/switchboard-provider.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import { createLogger } from '../../../../../../src/lib/logger.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  die,
  type FakeProvider,
  hang,
  openAiError,
  startFakeProvider,
} from '../../../../../support/hosts/fake-provider.ts';
import { failureOf, helloRequest, noAbort } from '../../../../../support/hosts/provider-under-test.ts';
import { createFakeClock, type FakeClock } from '../../../../../support/machine/fake-clock.ts';
import { startStopwatch } from '../../../../../support/machine/measure.ts';
import { drawPng } from '../../../../../support/samples/media.ts';

const image = drawPng(64, 36);
/** As `POST /ai/imagen` answers. */
const answerPictures = (...files: readonly unknown[]): Behaviour =>
  answerJson(200, {
    id: 'img-9Oo7cGJiVYsgkUG8i1ZwQg',
    created: 1_795_266_495,
    model: 'flux-1',
    files,
    size: { width: 64, height: 36 },
    ratio: '16:9',
    'elapsed-time': 2.31,
    usage: 4,
    user: 1,
  });

let host: FakeProvider;
let clock: FakeClock;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  host = await startFakeProvider();
  host.behaveElsewhere(answerPictures(image.toString('base64')));
  clock = createFakeClock();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await host.close();
});

function create(config: Partial<SwitchboardConfig> = {}, time: 'fake' | 'real' = 'real') {
  const provider = createSwitchboardProvider(
    { clock: time === 'fake' ? clock : systemClock, logger: createLogger({ level: 'silent' }) },
    { kind: 'switchboard', name: 'friend', baseUrl: new URL(host.baseUrl).origin, apiKeys: ['sk-first'], ...config },
  );
  closers.push(() => provider.close());
  return provider;
}
const order = (fields: Partial<ImageRequest> = {}): ImageRequest => ({
  model: 'flux-1',
  prompt: 'a red fox in snow',
  ratio: { width: 16, height: 9 },
  count: 1,
  ...fields,
});
const lastBody = () => host.requests.at(-1)?.body;

describe('another Switchboard', () => {
  it('lists its models with their capabilities', async () => {
    host.behaveAtModels(
      answerJson(200, {
        object: 'list',
        data: [
          { id: 'llama', object: 'model', created: 1, owned_by: 'meta', type: 'chat', context_length: 8192 },
          { id: 'some-art', object: 'model', created: 1, owned_by: 'studio', type: 'image' },
        ],
      }),
    );
    const models = await create({ baseUrl: `${new URL(host.baseUrl).origin}/` }).listModels(noAbort());
    expect(models).toMatchObject([
      { id: 'llama', type: 'chat', ownedBy: 'meta', contextLength: 8192 },
      { id: 'some-art', type: 'image', ownedBy: 'studio' },
    ]);
    expect(host.requests[0]).toMatchObject({ method: 'GET', url: '/ai/openai/models' });
    expect(host.requests[0]?.headers.authorization).toBe('Bearer sk-first');
  });

  it('chats like any OpenAI-compatible host', async () => {
    const completion = await create().chat.complete(helloRequest(), noAbort());
    expect(host.chatRequests[0]?.url).toBe('/ai/openai/chat/completions');
    expect(completion.outcome).toMatchObject({ provider: 'friend', finishReason: 'stop' });
  });

  it('generates images', async () => {
    const result = await create().image.generate(order({ seed: 5, extraFields: { quality: 'high' } }), noAbort());
    expect(result).toMatchObject({ images: [{ bytes: image }], provider: 'friend', model: 'flux-1' });
    expect(host.requests[0]).toMatchObject({ method: 'POST', url: '/ai/imagen' });
    expect(lastBody()).toEqual({ model: 'flux-1', prompt: 'a red fox in snow', ratio: '16:9' });
  });

  it('is asked for every ratio by its name', async () => {
    const provider = create();
    for (const ratio of ASPECT_RATIOS) {
      await provider.image.generate(order({ ratio: parseRatio(ratio) ?? { width: 0, height: 0 } }), noAbort());
      expect(lastBody()?.ratio).toBe(ratio);
    }
  });

  it.each([
    [{ width: 1024, height: 1024 }, '1:1'],
    [{ width: 1792, height: 1024 }, '16:9'],
    [{ width: 32, height: 9 }, '21:9'],
    [{ width: 1, height: 10 }, '9:21'],
    [{ width: 1000, height: 999 }, '1:1'],
  ])('is asked for the nearest ratio to %j', async (ratio, nearest) => {
    await create().image.generate(order({ ratio }), noAbort());
    expect(lastBody()?.ratio).toBe(nearest);
  });

  it('returns one image, or as many of its files as requested', async () => {
    expect((await create().image.generate(order({ count: 4 }), noAbort())).images).toHaveLength(1);
    const file = image.toString('base64');
    host.behaveElsewhere(answerPictures(file, file, file));
    expect((await create().image.generate(order({ count: 2 }), noAbort())).images).toHaveLength(2);
  });

  it('edits no images', async () => {
    const failure = await failureOf(create().image.generate(order({ sources: [image] }), noAbort()));
    expect(failure).toBeInstanceOf(ProviderRejectedError);
    expect(failure).toMatchObject({ status: 400, details: { code: 'image_edit_unsupported', param: 'image' } });
    expect(host.requests).toHaveLength(0);
  });

  it('may refuse a prompt, with its reason', async () => {
    host.behaveElsewhere(answerJson(400, openAiError('No violence, please.', 'content_policy_violation', 'prompt')));
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderRejectedError);
    expect(failure).toMatchObject({
      status: 400,
      details: { code: 'content_policy_violation', message: 'No violence, please.', param: 'prompt' },
    });
  });

  it('gets the next key if one is refused', async () => {
    const answer = answerPictures(image.toString('base64'));
    host.behaveElsewhere((exchange) =>
      exchange.request.headers.authorization === 'Bearer sk-second'
        ? answer(exchange)
        : answerJson(401, openAiError('Unknown API key', 'invalid_api_key'))(exchange),
    );
    const provider = create({ apiKeys: ['sk-first', 'sk-second'] });
    expect((await provider.image.generate(order(), noAbort())).images).toHaveLength(1);
    await provider.image.generate(order(), noAbort());
    // The refused one rests.
    expect(host.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first',
      'Bearer sk-second',
      'Bearer sk-second',
    ]);
  });
});

describe('the next provider is asked if another Switchboard', () => {
  const base64 = image.toString('base64');
  it.each([
    [
      'sends half an image',
      answerPictures(base64.slice(0, base64.length / 2)),
      "friend sent an image that can't be read",
    ],
    ['sends no base64', answerPictures('<<<<????>>>>'), "friend sent an image that can't be read"],
    ['sends text as an image', answerPictures(btoa('hello world')), "friend sent an image that can't be read"],
    ['sends numbers', answerPictures(7), 'friend sent no image'],
    ['sends no files', answerPictures(), 'friend sent something without images'],
    ['sends a web page', answerRaw(200, 'text/html', '<html>hello</html>'), 'friend sent something without images'],
    [
      'sends half an object',
      answerRaw(200, 'application/json', '{"files": ["'),
      'friend sent something without images',
    ],
    ['refuses the key', answerJson(401, openAiError('Unknown API key', 'invalid_api_key')), /^friend answered 401/],
    ['has no such model', answerJson(404, openAiError('No such model', 'model_not_found')), /^friend answered 404/],
    [
      'has no available image provider',
      answerJson(502, openAiError('All failed', 'upstream_error')),
      /^friend answered 502/,
    ],
    ['breaks off', die(), /^friend could not be reached/],
  ])('%s', async (_, behaviour, message) => {
    host.behaveElsewhere(behaviour);
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ message: typeof message === 'string' ? message : expect.stringMatching(message) });
  });

  it('sends a retry time', async () => {
    host.behaveElsewhere(answerJson(429, openAiError('Slow down', 'rate_limit_exceeded'), { 'retry-after': '7' }));
    expect(await failureOf(create().image.generate(order(), noAbort()))).toMatchObject({
      status: 429,
      retryAfterMs: 7000,
    });
  });

  it('sends more than 256 MiB', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'A');
    host.behaveElsewhere(async ({ response, gone }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"files":["');
      for (let sent = 0; sent < 258 && !gone.aborted; sent += 1)
        await new Promise<void>((resolve) => {
          gone.addEventListener('abort', () => resolve(), { once: true });
          response.write(piece, () => resolve());
        });
      response.end();
    });
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ message: 'friend sent an answer that is too large' });
  });

  it('takes longer than ten minutes', async () => {
    host.behaveElsewhere(hang());
    const failure = failureOf(create({}, 'fake').image.generate(order(), noAbort()));
    await expect.poll(() => host.requests.length).toBe(1);
    await clock.advance(600_000);
    expect(await failure).toBeInstanceOf(ProviderTimeoutError);
  });
});

describe('an abort', () => {
  const reason = new Error('the client has gone');

  it.each([
    ['before the answer', hang()],
    [
      'in the middle of the answer',
      (({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"files":["');
      }) satisfies Behaviour,
    ],
  ])('%s reaches the socket at once', async (_, behaviour) => {
    const controller = new AbortController();
    host.behaveElsewhere(behaviour);
    const failure = failureOf(create({}, 'fake').image.generate(order(), controller.signal));
    await expect.poll(() => host.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const elapsedMs = startStopwatch();
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect(await host.requests[0]?.closed).toBeDefined();
    expect(elapsedMs()).toBeLessThan(100);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('before the start sends no request', async () => {
    const controller = new AbortController();
    controller.abort(reason);
    await expect(create().image.generate(order(), controller.signal)).rejects.toBe(reason);
    expect(host.requests).toHaveLength(0);
  });
});
