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
  const until = new Map<string, number>();
  return {
    isKnown: (model) => (until.get(model) ?? 0) > clock.now(),
    note(model) {
      if (until.size >= MAX_MODELS) until.clear();
      until.set(model, clock.now() + REMEMBER_MS);
    },
    isRefusal(error) {
      // OpenRouter knows no host of the model that supports tools, and says so with 404.
      if (error instanceof ModelNotFoundError) return true;
      if (!(error instanceof ProviderRejectedError)) return false;
      return SPEAKS_OF_TOOLS.test(`${error.details.message} ${error.details.param ?? ''} ${error.details.code ?? ''}`);
    },
  };
}
