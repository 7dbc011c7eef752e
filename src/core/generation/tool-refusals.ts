import { createCache } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { ModelNotFoundError, ProviderRejectedError } from '../models/index.ts';

/** Which models refuse tools, as far as this process has seen. */
export interface ToolRefusals {
  isKnown(model: string): boolean;
  note(model: string): void;
  /** True where an error says that the tools were the reason, or where they may well have been. */
  isRefusal(error: unknown): boolean;
}

/** Hosts are updated, and a public name may lead elsewhere tomorrow. */
const REMEMBER_MS = 6 * 3_600_000;
const MAX_MODELS = 1000;
/** Ollama: `… does not support tools`; vLLM: `"auto" tool choice requires …`; Groq: `tool calling is not supported …`. */
const SPEAKS_OF_TOOLS = /\btools?\b|\btool_|\bfunctions?\b|function_call/i;

export function createToolRefusals(clock: Clock): ToolRefusals {
  const refusing = createCache<string, true>(clock, { max: MAX_MODELS, ttlMs: REMEMBER_MS });
  return {
    isKnown: (model) => refusing.has(model),
    note: (model) => void refusing.set(model, true),
    isRefusal(error) {
      // OpenRouter knows no host of the model that supports tools, and says so with 404.
      if (error instanceof ModelNotFoundError) return true;
      if (!(error instanceof ProviderRejectedError)) return false;
      return SPEAKS_OF_TOOLS.test(`${error.details.message} ${error.details.param ?? ''} ${error.details.code ?? ''}`);
    },
  };
}
