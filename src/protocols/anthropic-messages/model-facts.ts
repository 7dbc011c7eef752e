import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';

/** Properties of a model that requests depend on, as the host lists them; undefined fields are unknown. */
export interface ModelFacts {
  /** Maximum of `max_tokens`. */
  readonly maxOutputTokens: number | undefined;
  /** Accepted types of `thinking`: `adaptive`, `enabled`, `disabled`, `between_tools`. */
  readonly thinkingTypes: ReadonlySet<string> | undefined;
  /** Whether `output_config.effort` is accepted. */
  readonly acceptsEffort: boolean | undefined;
}

/** Reads the facts of an entry in the list of models. */
export function readModelFacts({ max_tokens: maxTokens, capabilities }: JsonObject): ModelFacts {
  const { thinking, effort } = isJsonObject(capabilities) ? capabilities : {};
  return {
    maxOutputTokens: typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : undefined,
    thinkingTypes: isJsonObject(thinking) ? readThinkingTypes(thinking) : undefined,
    acceptsEffort: isJsonObject(effort) ? isSupported(effort) : undefined,
  };
}

function readThinkingTypes({ types }: JsonObject): ReadonlySet<string> {
  const entries = isJsonObject(types) ? Object.entries(types) : [];
  return new Set(entries.flatMap(([type, support]) => (isSupported(support) ? [type] : [])));
}

function isSupported(support: unknown): boolean {
  return isJsonObject(support) && support.supported === true;
}
