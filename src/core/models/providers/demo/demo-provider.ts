import { estimateTokenCount } from 'tokenx';
import { type Clock, sleep } from '../../../../lib/clock.ts';
import { createId } from '../../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import type { ChatModel, ChatRequestBody } from '../../chat-model.ts';
import { DEMONSTRATION_OWNER } from '../../demonstration.ts';
import type { ImageModel } from '../../image-model.ts';
import type { Provider, ProviderModel } from '../../provider.ts';
import { createDemoImage, DEMO_IMAGE_MODEL, type DemoImageDeps } from './demo-image.ts';
import { composeDemoReply, textOf } from './demo-reply.ts';
import { createDemoSpeech } from './demo-speech.ts';
import { createDemoTranscription } from './demo-transcription.ts';

export interface DemoConfig {
  readonly kind: 'demo';
  /** Default `demo`. */
  readonly name?: string | undefined;
  /** Pace of streams; 0 means at once. Default 40. `demo-slow` has a fifth of it. */
  readonly wordsPerSecond?: number | undefined;
  /** How long a request for pictures takes at least; 0 means as long as drawing takes. Default 2000. */
  readonly imageMs?: number | undefined;
}

const DEFAULT_WORDS_PER_SECOND = 40;
const DEFAULT_IMAGE_MS = 2000;
const AFTER_TOOL_MS = 1200;
const CREATED = Date.UTC(2026, 0, 1) / 1000;

const COMMON = { ownedBy: DEMONSTRATION_OWNER, created: CREATED, price: { input: 0, output: 0 }, acceptsImages: true };

const DEMO_MODELS: readonly ProviderModel[] = [
  { ...COMMON, id: 'demo', type: 'chat', displayName: 'Demonstration', contextLength: 128_000 },
  { ...COMMON, id: 'demo-slow', type: 'chat', displayName: 'Demonstration, slow', contextLength: 128_000 },
  { ...COMMON, id: 'demo-long', type: 'chat', displayName: 'Demonstration, always at length', contextLength: 128_000 },
  { ...COMMON, id: DEMO_IMAGE_MODEL, type: 'image', displayName: 'Demonstration picture' },
];

/**
 * Models that need neither network nor key and say honestly that they are a demonstration: prepared answers, in English
 * and Russian, that show what the product can do with a real model's text, and pictures of the prompt's words.
 */
export function createDemoProvider(
  deps: DemoImageDeps,
  config: DemoConfig = { kind: 'demo' },
): Provider & { readonly chat: ChatModel; readonly image: ImageModel } {
  const name = config.name ?? 'demo';
  return {
    name,
    chat: createDemoChat(deps, name, config.wordsPerSecond ?? DEFAULT_WORDS_PER_SECOND),
    image: createDemoImage(deps, { provider: name, imageMs: config.imageMs ?? DEFAULT_IMAGE_MS }),
    transcription: createDemoTranscription(deps, { provider: name }),
    speech: createDemoSpeech(deps, { provider: name }),
    acceptsAnyModel: false,
    weight: 1,
    listModels: async () => DEMO_MODELS,
    close: async () => {},
  };
}

function createDemoChat(deps: { readonly clock: Clock }, provider: string, wordsPerSecond: number): ChatModel {
  return {
    async complete({ body }, signal) {
      signal.throwIfAborted();
      const answer = createAnswer(deps.clock, body);
      const completion = {
        ...answer.head,
        object: 'chat.completion',
        choices: [{ index: 0, message: answer.message, logprobs: null, finish_reason: answer.finishReason }],
        usage: answer.usage,
      };
      return {
        bytes: Buffer.from(JSON.stringify(completion)),
        body: completion,
        outcome: { ...startOutcome(provider, body, answer), ...endOutcome(answer) },
      };
    },
    async stream({ body }, signal) {
      signal.throwIfAborted();
      const answer = createAnswer(deps.clock, body);
      const pace = body.model === 'demo-slow' ? wordsPerSecond / 5 : wordsPerSecond;
      const outcome = { ...startOutcome(provider, body, answer) };
      const event = (choices: readonly JsonObject[], usage: JsonObject | null = null) =>
        Buffer.from(
          `data: ${JSON.stringify({ ...answer.head, object: 'chat.completion.chunk', choices, usage })}\n\n`,
          'utf8',
        );
      const choice = (delta: JsonObject, finishReason: string | null = null) => ({
        index: 0,
        delta,
        finish_reason: finishReason,
      });
      return {
        outcome,
        async *[Symbol.asyncIterator]() {
          yield event([choice({ role: 'assistant', content: answer.message.content === null ? null : '' })]);
          // Real models take a moment to read what a tool has said.
          if (pace > 0 && body.messages.at(-1)?.role === 'tool') await sleep(deps.clock, AFTER_TOOL_MS, signal);
          for (const delta of answer.deltas) {
            if (pace > 0) await sleep(deps.clock, 1000 / pace, signal);
            signal.throwIfAborted();
            outcome.deltaCount += 1;
            yield event([choice(delta)]);
          }
          Object.assign(outcome, endOutcome(answer));
          yield event([choice({}, answer.finishReason)]);
          if (isUsageWanted(body)) yield event([], answer.usage);
        },
      };
    },
  };
}

interface DemoAnswer {
  readonly head: { readonly id: string; readonly created: number; readonly model: string };
  readonly message: JsonObject;
  readonly deltas: readonly JsonObject[];
  readonly finishReason: string;
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

function createAnswer(clock: Clock, body: ChatRequestBody): DemoAnswer {
  const reply = composeDemoReply(body, { alwaysLong: body.model === 'demo-long' });
  const head = { id: createId('chatcmpl-'), created: Math.floor(clock.now() / 1000), model: body.model };
  const promptTokens = body.messages.reduce((total, message) => total + estimateTokenCount(textOf(message)) + 4, 0);
  if (reply.kind === 'tool-call') {
    const call = {
      id: createId('call_'),
      type: 'function',
      function: { name: reply.name, arguments: reply.arguments },
    };
    return {
      head,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      deltas: [{ tool_calls: [{ index: 0, ...call }] }],
      finishReason: 'tool_calls',
      usage: toUsage(promptTokens, estimateTokenCount(reply.arguments) + 8),
    };
  }
  const { words, finishReason } = limit(reply.text, body);
  return {
    head,
    message: { role: 'assistant', content: words.join(''), refusal: null },
    deltas: words.map((content) => ({ content })),
    finishReason,
    usage: toUsage(promptTokens, words.length),
  };
}

/** The words of a text as far as `stop` and the token limit let them: one word counts as one token. */
function limit(
  text: string,
  body: ChatRequestBody,
): { readonly words: readonly string[]; readonly finishReason: string } {
  const stops = (Array.isArray(body.stop) ? body.stop : [body.stop]).filter(
    (stop) => typeof stop === 'string' && stop !== '',
  );
  const end = Math.min(text.length, ...stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0));
  const words = text.slice(0, end).match(/\s*\S+\s*?(?=\s|$)|\s+$/g) ?? [];
  const asked = body.max_completion_tokens ?? body.max_tokens;
  const maxTokens = typeof asked === 'number' && asked > 0 ? asked : Number.POSITIVE_INFINITY;
  return words.length > maxTokens
    ? { words: words.slice(0, Math.floor(maxTokens)), finishReason: 'length' }
    : { words, finishReason: 'stop' };
}

function toUsage(promptTokens: number, completionTokens: number): DemoAnswer['usage'] {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function startOutcome(provider: string, body: ChatRequestBody, answer: DemoAnswer) {
  return {
    provider,
    model: body.model,
    id: answer.head.id,
    finishReason: undefined,
    usage: undefined,
    deltaCount: 0,
  };
}

function endOutcome({ finishReason, usage }: DemoAnswer) {
  return { finishReason, usage: { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens } };
}

function isUsageWanted(body: ChatRequestBody): boolean {
  return isJsonObject(body.stream_options) && body.stream_options.include_usage === true;
}
