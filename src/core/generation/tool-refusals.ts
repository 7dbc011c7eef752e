import { createCache } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { ModelNotFoundError, ProviderRejectedError } from '../models/index.ts';

/** Models that refuse tools, as observed by this process. */
export type ToolRefusals = ReturnType<typeof createToolRefusals>;

/** Refusals expire because hosts are updated and public names may be mapped to other models. */
const REMEMBER_MS = 6 * 3_600_000;
const MAX_MODELS = 1000;
/** Ollama: `… does not support tools`; vLLM: `"auto" tool choice requires …`; Groq: `tool calling is not supported …`. */
const MENTIONS_TOOLS = /\btools?\b|\btool_|\bfunctions?\b|function_call/i;

export function createToolRefusals(clock: Clock) {
  const refusing = createCache<string, true>(clock, { max: MAX_MODELS, ttlMs: REMEMBER_MS });
  return {
    isKnown: (model: string): boolean => refusing.has(model),
    record: (model: string): void => void refusing.set(model, true),
    /** Returns whether an error says, or may mean, that the model refuses tools. */
    isRefusal(error: unknown): boolean {
      // OpenRouter responds with 404 if no host of the model supports tools.
      if (error instanceof ModelNotFoundError) return true;
      if (!(error instanceof ProviderRejectedError)) return false;
      return MENTIONS_TOOLS.test(`${error.details.message} ${error.details.param ?? ''} ${error.details.code ?? ''}`);
    },
  };
}
