import type { ProviderModel } from '../../provider.ts';

/** Milliseconds; what is left out takes the default. */
export interface ProviderTimeouts {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** From the request to the first event of a stream. A completion in one piece has `totalMs` for that. */
  readonly firstTokenMs: number;
  /** Silence between two reads of an answer. */
  readonly idleMs: number;
  /** The whole exchange. */
  readonly totalMs: number;
}

export const DEFAULT_PROVIDER_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

/** An endpoint that speaks OpenAI's chat completions protocol. */
export interface OpenAiCompatibleConfig {
  readonly kind: 'openai-compatible';
  /** Unique, lowercase; qualifies model names. */
  readonly name: string;
  /** Everything before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Tried in order; one that is refused or used up is rested. Empty where the host wants none. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the host serves, where the settings say it; undefined asks the host. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Where the list of models is, if not at `<baseUrl>/models`. */
  readonly modelsUrl?: string | undefined;
  /** How the list of models wants the key, where that differs from `Authorization: Bearer`. */
  readonly modelsKeyHeader?: string | undefined;
  /** Sent with requests for the list of models, besides `headers`. */
  readonly modelsHeaders?: Readonly<Record<string, string>> | undefined;
  /** Names that come first in the list, where the host serves them: what people get until they choose. */
  readonly preferredModels?: readonly string[] | undefined;
  /** Lets any model name through. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first tries among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
