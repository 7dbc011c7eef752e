export interface ChatOutcome {
  /** Name of the provider that answered. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Id of the completion, as the host reports it. */
  readonly id: string | undefined;
  /** Name of the model, as the host reports it. */
  readonly reportedModel: string | undefined;
  /** Start of the answer, as the host reports it, Unix seconds. */
  readonly createdAt: number | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`, …; undefined while unfinished. */
  readonly finishReason: string | undefined;
  /** Undefined if the host does not report it. */
  readonly usage: TokenUsage | undefined;
  /** Number of events with a delta so far. */
  readonly deltaCount: number;
  /** Bytes of all deltas so far. */
  readonly deltaBytes: number;
}

/** Token counts. */
export interface TokenUsage {
  /** All of the prompt, cached tokens included. */
  readonly promptTokens: number;
  /** All of the answer, reasoning included. */
  readonly completionTokens: number;
  /** Prompt tokens read from the provider's cache; undefined if it does not report them. */
  readonly cachedTokens?: number | undefined;
  /** Prompt tokens written to the provider's cache; undefined if it does not report them. */
  readonly cacheWriteTokens?: number | undefined;
  /** The part of `cacheWriteTokens` that is cached for an hour; undefined if the provider does not report it. */
  readonly cacheWriteHourTokens?: number | undefined;
  /** Tokens of reasoning; undefined if the provider does not report them. */
  readonly reasoningTokens?: number | undefined;
  /** Prompt tokens of audio; undefined if the provider does not report them. */
  readonly audioInputTokens?: number | undefined;
  /** Completion tokens of audio; undefined if the provider does not report them. */
  readonly audioOutputTokens?: number | undefined;
  /** Prompt tokens of images; undefined if the provider does not report them. */
  readonly imageInputTokens?: number | undefined;
  /** Completion tokens of images; undefined if the provider does not report them. */
  readonly imageOutputTokens?: number | undefined;
  /** Cost in US dollars as the provider reports it. */
  readonly costUsd?: number | undefined;
}

/** Returns the outcome of a completion that has not begun. */
export function createOutcome(provider: string, model: string): GrowingOutcome {
  return {
    provider,
    model,
    id: undefined,
    reportedModel: undefined,
    createdAt: undefined,
    finishReason: undefined,
    usage: undefined,
    deltaCount: 0,
    deltaBytes: 0,
    argumentBytes: 0,
  };
}

const MAX_NAME_CHARACTERS = 1000;

/** Returns whether a host's id, model name or finish reason can be used: neither empty nor too long to be stored. */
export function isUsableName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARACTERS;
}

/** Average of most languages and models. */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of a stream that broke off. Hosts send one token in an event, or many. */
export function countDeltaTokens({ deltaCount, deltaBytes }: Pick<ChatOutcome, 'deltaCount' | 'deltaBytes'>): number {
  return Math.max(deltaCount, Math.ceil(deltaBytes / BYTES_PER_TOKEN));
}

/** A `ChatOutcome` that a provider fills in. */
export type GrowingOutcome = { -readonly [Field in keyof ChatOutcome]: ChatOutcome[Field] } & {
  /** Bytes of the arguments of tool calls so far. */
  argumentBytes: number;
};
