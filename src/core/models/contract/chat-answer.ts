import { countCharacters } from '../../../lib/json/large-json.ts';
import type { ChatOutcome, TokenUsage } from './chat-outcome.ts';
import type { Dialect, ToolCall, UnknownFields } from './chat-request.ts';

export interface ChatCompletion {
  /** Not empty. */
  readonly choices: readonly ChatChoice[];
  readonly outcome: ChatOutcome;
  /** The host's response body. `lacksUsage`: it has no token counts. */
  readonly native?: { readonly dialect: Dialect; readonly bytes: Buffer; readonly lacksUsage: boolean } | undefined;
}

/** One answer of a completion. */
export interface ChatChoice {
  readonly text: string;
  /** Log probabilities of the tokens of `text`, in OpenAI's format; undefined if the host reports none. */
  readonly logprobs?: readonly UnknownFields[] | undefined;
  readonly reasoning?: string | undefined;
  /** As in `ReasoningDelta`. */
  readonly reasoningMustBeSentBack?: boolean | undefined;
  /** Images of the answer, as data URLs or addresses. Default none. */
  readonly images?: readonly string[] | undefined;
  /** Why the model declines to answer; null if the host reports that it does not. */
  readonly refusal?: string | null | undefined;
  readonly toolCalls: readonly ToolCall[];
  /** Undefined if the host reports no list of sources. */
  readonly sources?: readonly Source[] | undefined;
  readonly finishReason: string;
  /** The stop sequence that ended the answer; undefined if there was none or the host does not report it. */
  readonly stopSequence?: string | undefined;
}

/** A source that an answer cites. */
export interface Source {
  /** As the host reports it, unchecked; undefined for sources without an address. */
  readonly url: string | undefined;
  readonly title?: string | undefined;
  readonly native?: UnknownFields | undefined;
}

/** The events of an answer in order. The iteration ends when the answer is complete and throws if it breaks off. */
export interface ChatStream extends AsyncIterable<ChatEvent> {
  /** Updated while the stream is read; final when the iteration has ended, successfully or not. */
  readonly outcome: ChatOutcome;
}

/** One event of a stream. */
export interface ChatEvent {
  /** Empty for events without a meaning in this interface. */
  readonly parts: readonly ChatPart[];
  /** The event as the host sent it. */
  readonly native?: NativeEvent | undefined;
}

/** `choice` is the index of the choice that the part belongs to. */
export type ChatPart =
  | TextDelta
  | ReasoningDelta
  | { readonly type: 'refusal-delta'; readonly choice: number; readonly text: string }
  | ToolCallDelta
  /** `url` is a data URL or an address. */
  | { readonly type: 'image'; readonly choice: number; readonly url: string }
  | { readonly type: 'source'; readonly choice: number; readonly source: Source }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | Finish;

export interface Finish {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: string;
  /** As in `ChatChoice`. */
  readonly stopSequence?: string | undefined;
}

export interface TextDelta {
  readonly type: 'text-delta';
  readonly choice: number;
  readonly text: string;
  /** As in `ChatChoice`. */
  readonly logprobs?: readonly UnknownFields[] | undefined;
}

export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly choice: number;
  readonly text: string;
  /**
   * True for hosts that send `reasoning_content`: some of them require it in the request that follows a tool call. Other
   * hosts refuse it there. Default false.
   */
  readonly mustBeSentBack?: boolean | undefined;
}

/** A fragment of a tool call. Hosts differ in the fields that they repeat. */
export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  readonly choice: number;
  /** Index of the call in the answer. */
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Appended to the arguments so far. */
  readonly arguments: string;
  readonly native?: UnknownFields | undefined;
}

export interface NativeEvent {
  readonly dialect: Dialect;
  /**
   * JSON text without line breaks. The bytes of a large event, which may have some between its values. Empty if it was
   * delivered before: a large event is delivered as several, each with some of its parts.
   */
  readonly data: string | Buffer;
}

/** Returns a choice of a completion as the parts of a stream. */
export function listParts(answer: ChatChoice, choice: number): readonly ChatPart[] {
  const { text, logprobs, reasoning, reasoningMustBeSentBack: mustBeSentBack, refusal, toolCalls } = answer;
  const parts: ChatPart[] = [];
  if (reasoning) parts.push({ type: 'reasoning-delta', choice, text: reasoning, mustBeSentBack });
  if (text !== '') parts.push({ type: 'text-delta', choice, text, logprobs });
  if (refusal) parts.push({ type: 'refusal-delta', choice, text: refusal });
  for (const url of answer.images ?? []) parts.push({ type: 'image', choice, url });
  for (const source of answer.sources ?? []) parts.push({ type: 'source', choice, source });
  for (const [index, call] of toolCalls.entries()) parts.push({ type: 'tool-call-delta', choice, index, ...call });
  parts.push({ type: 'finish', choice, reason: answer.finishReason, stopSequence: answer.stopSequence });
  return parts;
}

/** Maximum number of tool calls in one answer; further ones are left out. More indicate a model that repeats itself. */
export const MAX_TOOL_CALLS = 128;
/** More choices than any host accepts as `n`; further ones are left out. */
export const MAX_CHOICES = 128;
/** Maximum number of sources of one answer; further ones are left out. */
export const MAX_SOURCES = 1000;

/** Returns the length of what a part holds in memory until an answer is complete, in characters. */
export function countHeldCharacters(part: ChatPart): number {
  switch (part.type) {
    case 'tool-call-delta':
      return part.arguments.length + countCharacters([part.id ?? '', part.name ?? '', part.native ?? {}]);
    case 'image':
      return part.url.length;
    case 'source':
      return countCharacters(part.source);
    case 'text-delta':
      return part.text.length + (part.logprobs ? countCharacters(part.logprobs) : 0);
    default:
      return 'text' in part ? part.text.length : 0;
  }
}

/**
 * Returns the call of an answer that a fragment continues, undefined if the fragment starts a new call. Tolerates the
 * differences of hosts: most send fragments with an index; some send whole calls, some omit the index, some use index 0
 * for every call. A fragment with a different id starts a new call.
 */
export function findContinuedCall<Call extends { readonly index: number | undefined; id: string | undefined }>(
  calls: readonly Call[],
  { id, index, name }: ToolCallDelta,
): Call | undefined {
  const pending = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  const isOther = id !== undefined && pending?.id !== undefined && id !== pending.id;
  const isNew = isOther || (index === undefined && id === undefined && name !== undefined);
  return isNew ? undefined : pending;
}
