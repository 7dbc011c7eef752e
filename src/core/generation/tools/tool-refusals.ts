import { createCache } from '../../../lib/async/cache.ts';
import type { Clock } from '../../../lib/clock.ts';
import { toShortHash } from '../../../lib/ids.ts';
import { ModelNotFoundError, ProviderRejectedError } from '../../models/index.ts';
import type { Tool } from '../../tools/index.ts';

/** Refusals expire because hosts are updated and public names may be mapped to other models. */
const REMEMBER_MS = 6 * 3_600_000;
const MAX_REMEMBERED = 1000;
/** Ollama: `… does not support tools`; vLLM: `"auto" tool choice requires …`; Groq: `tool calling is not supported …`. */
const MENTIONS_TOOLS = /\btools?\b|\btool_|\bfunctions?\b|function_call/i;
/** OpenAI: `tools[3].function.parameters`; Anthropic: `tools.3.custom.input_schema`; Gemini: `function_declarations[3]`. */
const TOOL_INDEX = /\bfunction_declarations\[(\d{1,4})\]|\btools(?:\[|\.)(\d{1,4})\b(?!\]\.function_declarations)/;

/** Remembers for some hours which models refuse all tools, and which refuse single ones. */
export function createToolRefusals(clock: Clock) {
  const options = { max: MAX_REMEMBERED, ttlMs: REMEMBER_MS };
  const refusing = createCache<string, true>(clock, options);
  const refusedTools = createCache<string, true>(clock, options);
  // Tools of one name differ between users, and change.
  const keyOf = (model: string, { name, source = '', parameters }: Tool) =>
    `${model} ${source} ${name} ${toShortHash(JSON.stringify(parameters))}`;
  return {
    isKnown: (model: string): boolean => refusing.has(model),
    record: (model: string): void => void refusing.set(model, true),
    recordTool: (model: string, tool: Tool): void => void refusedTools.set(keyOf(model, tool), true),
    /** Returns the tools that the model has not refused. */
    listAccepted: (model: string, tools: readonly Tool[]): readonly Tool[] =>
      refusedTools.size === 0 ? tools : tools.filter((tool) => !refusedTools.has(keyOf(model, tool))),
    /** Returns whether an error says, or may mean, that the model refuses tools. */
    isRefusal(error: unknown): boolean {
      // OpenRouter responds with 404 if no host of the model supports tools.
      if (error instanceof ModelNotFoundError) return true;
      if (!(error instanceof ProviderRejectedError)) return false;
      const { message, param, code } = error.details;
      if (code === 'invalid_function_parameters' || param?.startsWith('messages')) return false;
      return MENTIONS_TOOLS.test(`${message} ${param ?? ''} ${code ?? ''}`);
    },
  };
}

/** Returns the offered tool that a refusal names, such as one whose schema the host does not accept. */
export function findRefusedTool(error: unknown, offered: readonly Tool[]): Tool | undefined {
  if (!(error instanceof ProviderRejectedError)) return undefined;
  const { message, param } = error.details;
  const [, declared, index = declared] = TOOL_INDEX.exec(param ?? '') ?? TOOL_INDEX.exec(message) ?? [];
  if (index !== undefined) return offered[Number(index)];
  const isNamed = ({ name }: Tool) => ["'", '"', '`'].some((quote) => message.includes(`${quote}${name}${quote}`));
  return /schema|parameters/i.test(message) ? offered.find(isNamed) : undefined;
}
