import type { ProviderModel } from '../../contract/provider.ts';
import type { ProviderTimeouts } from '../endpoint/endpoint.ts';

/** A host that speaks Anthropic's Messages API: Anthropic itself, or any other. */
export interface AnthropicConfig {
  readonly kind: 'anthropic';
  /** Unique, lowercase; prefix of qualified model names. */
  readonly name: string;
  /** Everything before `/v1/messages`: `https://api.anthropic.com`. A `/v1` at its end is ignored. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`. Tried in order. A key that is refused or has reached its limit rests. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. `anthropic-beta` is combined with the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its models, if the settings list them; undefined: requested from the host. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Names that come first in the list if the host serves them: defaults for users who have not chosen a model. */
  readonly preferredModels?: readonly string[] | undefined;
  /** Accepts any model name. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first attempts among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
