import { estimateTokenCount } from 'tokenx';
import {
  type ChatChoice,
  type ChatModel,
  type ChatPart,
  type ChatRequest,
  createOutcome,
  DEMONSTRATION_OWNER,
  type DemoConfig,
  type GrowingOutcome,
  type ImageModel,
  type Provider,
  type ProviderModel,
  type TokenUsage,
} from '../src/core/models/index.ts';
import { type Clock, sleep } from '../src/lib/clock.ts';
import { createId } from '../src/lib/ids.ts';
import { createDemoCompletion } from './demo-completion.ts';
import { createDemoEmbedding, DEMO_EMBEDDING_MODEL } from './demo-embedding.ts';
import { createDemoImage, DEMO_IMAGE_MODEL, type DemoImageDeps } from './demo-image.ts';
import { createDemoModeration, DEMO_MODERATION_MODEL } from './demo-moderation.ts';
import { composeDemoReply, textOf } from './demo-reply.ts';
import { createDemoSpeech, DEMO_SPEECH_MODEL } from './demo-speech.ts';
import { createDemoTranscription, DEMO_TRANSCRIPTION_MODEL } from './demo-transcription.ts';

const DEFAULT_WORDS_PER_SECOND = 40;
const DEFAULT_IMAGE_MS = 2000;
const AFTER_TOOL_MS = 1200;
const CREATED = Date.UTC(2026, 0, 1) / 1000;

const COMMON = { ownedBy: DEMONSTRATION_OWNER, created: CREATED };
const SEEING = { ...COMMON, acceptsImages: true };

const DEMO_MODELS: readonly ProviderModel[] = [
  { ...SEEING, id: 'demo', type: 'chat', displayName: 'Demonstration', contextLength: 128_000 },
  { ...SEEING, id: 'demo-slow', type: 'chat', displayName: 'Demonstration, slow', contextLength: 128_000 },
  { ...SEEING, id: 'demo-long', type: 'chat', displayName: 'Demonstration, always at length', contextLength: 128_000 },
  { ...SEEING, id: DEMO_IMAGE_MODEL, type: 'image', displayName: 'Demonstration image' },
  { ...COMMON, id: DEMO_EMBEDDING_MODEL, type: 'embedding', displayName: 'Demonstration embedding' },
  { ...COMMON, id: DEMO_MODERATION_MODEL, type: 'moderation', displayName: 'Demonstration moderation' },
  { ...COMMON, id: DEMO_SPEECH_MODEL, type: 'speech', displayName: 'Demonstration speech' },
  { ...COMMON, id: DEMO_TRANSCRIPTION_MODEL, type: 'transcription', displayName: 'Demonstration transcription' },
];

/**
 * Creates a provider without network and key. Its models state that they are a demonstration: prepared answers in
 * English and Russian that show the product's features, images with the text of the prompt,
 * vectors of hashed words, tones instead of speech.
 */
export function createDemoProvider(
  deps: DemoImageDeps,
  config: DemoConfig = { kind: 'demo' },
): Provider & { readonly chat: ChatModel; readonly image: ImageModel } {
  const name = config.name ?? 'demo';
  const chat = createDemoChat(deps, name, config.wordsPerSecond ?? DEFAULT_WORDS_PER_SECOND);
  return {
    name,
    chat,
    completion: createDemoCompletion(chat, name),
    image: createDemoImage(deps, { provider: name, imageMs: config.imageMs ?? DEFAULT_IMAGE_MS }),
    embedding: createDemoEmbedding({ provider: name }),
    moderation: createDemoModeration({ provider: name }),
    transcription: createDemoTranscription(deps, { provider: name }),
    botTranscriptionModel: DEMO_TRANSCRIPTION_MODEL,
    speech: createDemoSpeech(deps, { provider: name }),
    botSpeech: { model: DEMO_SPEECH_MODEL },
    acceptsAnyModel: false,
    weight: 1,
    listModels: async () => DEMO_MODELS,
    close: async () => {},
  };
}

function createDemoChat(deps: { readonly clock: Clock }, provider: string, wordsPerSecond: number): ChatModel {
  return {
    async complete(request, signal) {
      signal.throwIfAborted();
      const { text, toolCalls, finishReason, stopSequence, usage } = createAnswer(request);
      const outcome = { ...startOutcome(deps.clock, provider, request), finishReason, usage };
      const choice = { text, toolCalls, finishReason, stopSequence, refusal: null };
      return { choices: listChoices(request).map(() => choice), outcome };
    },
    async stream(request, signal) {
      signal.throwIfAborted();
      const answer = createAnswer(request);
      const pace = request.model === 'demo-slow' ? wordsPerSecond / 5 : wordsPerSecond;
      const outcome = startOutcome(deps.clock, provider, request);
      const choices = listChoices(request);
      return {
        outcome,
        async *[Symbol.asyncIterator]() {
          yield { parts: [] };
          // Imitates the time in which a real model reads a tool result.
          if (pace > 0 && request.messages.at(-1)?.role === 'tool') await sleep(deps.clock, AFTER_TOOL_MS, signal);
          for (const delta of answer.deltas) {
            if (pace > 0) await sleep(deps.clock, 1000 / pace, signal);
            signal.throwIfAborted();
            outcome.deltaCount += 1;
            yield { parts: choices.map((choice) => ({ ...delta, choice })) };
          }
          const { finishReason, stopSequence, usage } = answer;
          Object.assign(outcome, { finishReason, usage });
          yield { parts: choices.map((choice) => ({ type: 'finish', choice, reason: finishReason, stopSequence })) };
          yield { parts: [{ type: 'usage', usage }] };
        },
      };
    },
  };
}

interface DemoAnswer extends Pick<ChatChoice, 'text' | 'toolCalls' | 'finishReason' | 'stopSequence'> {
  readonly deltas: readonly Exclude<ChatPart, { readonly type: 'usage' }>[];
  readonly usage: TokenUsage;
}

/** Returns the indexes of the choices, whose contents are equal. */
function listChoices({ choiceCount = 1 }: ChatRequest): readonly number[] {
  return Array.from({ length: choiceCount }, (_, index) => index);
}

function createAnswer(request: ChatRequest): DemoAnswer {
  const { choiceCount = 1 } = request;
  const reply = composeDemoReply(request, { alwaysLong: request.model === 'demo-long' });
  const promptTokens = request.messages.reduce((total, message) => total + estimateTokenCount(textOf(message)) + 4, 0);
  if (reply.kind === 'tool-call') {
    const call = { id: createId('call_'), name: reply.name, arguments: reply.arguments };
    return {
      text: '',
      toolCalls: [call],
      deltas: [{ type: 'tool-call-delta', choice: 0, index: 0, ...call }],
      finishReason: 'tool_calls',
      usage: { promptTokens, completionTokens: (estimateTokenCount(reply.arguments) + 8) * choiceCount },
    };
  }
  const { words, finishReason, stopSequence } = limit(reply.text, request);
  return {
    text: words.join(''),
    toolCalls: [],
    deltas: words.map((text) => ({ type: 'text-delta', choice: 0, text })),
    finishReason,
    stopSequence,
    usage: { promptTokens, completionTokens: words.length * choiceCount },
  };
}

/** Cuts a text at the first stop sequence and at the token limit; one word counts as one token. */
function limit(
  text: string,
  { sampling, maxOutputTokens = Number.POSITIVE_INFINITY }: ChatRequest,
): { readonly words: readonly string[] } & Pick<ChatChoice, 'finishReason' | 'stopSequence'> {
  const stops = (sampling?.stop ?? []).filter((stop) => stop !== '' && text.includes(stop));
  const stopSequence = stops.toSorted((one, other) => text.indexOf(one) - text.indexOf(other))[0];
  const end = stopSequence === undefined ? text.length : text.indexOf(stopSequence);
  const words = text.slice(0, end).match(/\s*\S+\s*?(?=\s|$)|\s+$/g) ?? [];
  return words.length > maxOutputTokens
    ? { words: words.slice(0, maxOutputTokens), finishReason: 'length' }
    : { words, finishReason: 'stop', stopSequence };
}

function startOutcome(clock: Clock, provider: string, { model }: ChatRequest): GrowingOutcome {
  return {
    ...createOutcome(provider, model),
    id: createId('chatcmpl-'),
    reportedModel: model,
    createdAt: Math.floor(clock.now() / 1000),
  };
}
