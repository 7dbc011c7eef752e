import { describe, expect, it } from 'vitest';
import { createOutcome } from '../../../../src/core/models/contract/chat-outcome.ts';
import type { ChatRequest, ChatStream, Models } from '../../../../src/core/models/index.ts';
import { createReplaceableModels } from '../../../../src/core/models/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { NO_OTHER_ROUTES } from '../../../support/hosts/scripted-models.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

const REQUEST: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const never = new AbortController().signal;
const logger = createLogger({ level: 'silent' });

/** Models that answer with their own name. */
function createNamedModels(name: string, failure?: Error) {
  const state = { isStarted: false, isClosed: false };
  const stream: ChatStream = {
    outcome: { ...createOutcome(name, 'm'), finishReason: 'stop', deltaCount: 2 },
    async *[Symbol.asyncIterator]() {
      yield { parts: [{ type: 'text-delta', choice: 0, text: 'one' }] };
      if (state.isClosed) throw new Error('cut');
      yield { parts: [{ type: 'text-delta', choice: 0, text: 'two' }] };
    },
  };
  async function* toChunks() {
    yield Buffer.from('one');
    if (state.isClosed) throw new Error('cut');
    yield Buffer.from('two');
  }
  const transcript = { text: 'said', provider: name, model: 'm' };
  const speech = {
    bytes: Buffer.from(name),
    mediaType: 'audio/ogg',
    durationSeconds: 1,
    provider: name,
    model: 'm',
  };
  const models: Models = {
    catalogue: {
      list: () => [],
      find: () => undefined,
      findPrice: () => undefined,
      findPriceSource: () => undefined,
      findPrices: () => undefined,
      isFreeField: () => false,
      defaultChatModel: () => undefined,
      defaultImageModel: () => undefined,
      libraryEmbeddingModel: () => undefined,
    },
    router: {
      ...NO_OTHER_ROUTES,
      chat: {
        complete: async () => ({
          choices: [{ text: name, toolCalls: [], finishReason: 'stop' }],
          outcome: stream.outcome,
        }),
        stream: async () => stream,
      },
      image: { generate: async () => ({ images: [], provider: name, model: 'm' }) },
      speech: { speak: async () => ({ ...speech, chunks: toChunks() }) },
      transcription: { transcribe: async () => transcript, stream: async () => stream },
    },
    transcription: {
      isAvailable: () => true,
      listTargets: () => [],
      transcribe: async () => transcript,
    },
    speech: {
      isAvailable: () => true,
      listTargets: () => [],
      speak: async () => speech,
    },
    async start() {
      if (failure) throw failure;
      state.isStarted = true;
    },
    providers: () => [{ name, modelCount: 1, source: 'host', fetchedAt: 0, lastError: undefined }],
    circuits: () => [],
    async close() {
      state.isClosed = true;
    },
  };
  return { models, state };
}

const whoAnswers = async ({ router }: Models) => (await router.chat.complete(REQUEST, never)).choices[0]?.text;

describe('models that are replaced', () => {
  it('accept no new requests, finish running ones, and are closed then', async () => {
    const [first, second] = [createNamedModels('first'), createNamedModels('second')];
    const models = createReplaceableModels({ clock: systemClock, logger }, first.models);
    const stream = (await models.router.chat.stream(REQUEST, never))[Symbol.asyncIterator]();
    await stream.next();

    await models.replace(second.models, never);
    expect(second.state.isStarted).toBe(true);
    expect(await whoAnswers(models)).toBe('second');
    expect(models.providers().map(({ name }) => name)).toEqual(['second']);
    expect(first.state.isClosed).toBe(false);

    expect((await stream.next()).value).toMatchObject({ parts: [{ text: 'two' }] });
    expect((await stream.next()).done).toBe(true);
    expect(first.state.isClosed).toBe(true);
    await models.close();
    expect(second.state.isClosed).toBe(true);
  });

  it('are closed when no stream is read any more', async () => {
    const first = createNamedModels('first');
    const models = createReplaceableModels({ clock: systemClock, logger }, first.models);
    const leaving = new AbortController();
    await models.router.chat.stream(REQUEST, leaving.signal);
    await models.replace(createNamedModels('second').models, never);
    expect(first.state.isClosed).toBe(false);
    leaving.abort();
    expect(first.state.isClosed).toBe(true);
    await models.close();
  });

  it('are closed when the last sound file has been read', async () => {
    const first = createNamedModels('first');
    const models = createReplaceableModels({ clock: systemClock, logger }, first.models);
    const { chunks } = await models.router.speech.speak({ model: 'm', input: 'Hi' }, never);
    await models.replace(createNamedModels('second').models, never);
    expect(first.state.isClosed).toBe(false);
    expect(Buffer.concat(await Array.fromAsync(chunks)).toString()).toBe('onetwo');
    expect(first.state.isClosed).toBe(true);
    await models.close();
  });

  it('are aborted after a quarter of an hour', async () => {
    const clock = createFakeClock();
    const first = createNamedModels('first');
    const models = createReplaceableModels({ clock, logger }, first.models);
    await models.router.chat.stream(REQUEST, never);
    await models.replace(createNamedModels('second').models, never);
    await clock.advance(15 * 60_000);
    expect(first.state.isClosed).toBe(true);
    await models.close();
  });

  it('stay if the new ones do not start', async () => {
    const [first, second] = [createNamedModels('first'), createNamedModels('second', new Error('no'))];
    const models = createReplaceableModels({ clock: systemClock, logger }, first.models);
    await expect(models.replace(second.models, never)).rejects.toThrow('no');
    expect(second.state.isClosed).toBe(true);
    expect(await whoAnswers(models)).toBe('first');
    await models.close();
    expect(first.state.isClosed).toBe(true);
  });
});
