import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import { type Clock, runWithin } from '../../lib/clock.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { readSmallJson } from '../../lib/json/read-json.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';

export interface ToolRunParams extends Omit<ToolContext, 'signal'> {
  readonly timeoutMs: number;
  /** Longer results are cut. */
  readonly maxCharacters: number;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Runs a tool call of a model. Returns errors as text for the model, so that it can decide how to continue.
 * @param written the arguments as the model wrote them: a JSON object; an empty string means no arguments.
 * @throws the signal's reason, immediately on abort, whatever the tool does.
 */
export async function runTool(
  deps: { readonly clock: Clock; readonly logger: Logger },
  tool: Tool,
  written: string,
  { timeoutMs, maxCharacters, signal, ...context }: ToolRunParams,
): Promise<string> {
  signal.throwIfAborted();
  const parameters = written.trim() === '' ? {} : readSmallJson(written);
  if (!isJsonObject(parameters)) return 'Error: the arguments are not a JSON object.';
  const limit = { timeoutMs, toReason: () => new ToolError('it took too long'), signal };
  try {
    const result = await runWithin(deps.clock, limit, (inTime) =>
      leaveOnAbort(tool.run(parameters, { ...context, signal: inTime }), inTime),
    );
    return cut(result, maxCharacters);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ToolError) return cut(`Error: ${error.message}`, maxCharacters);
    deps.logger.warn({ err: error, tool: tool.name }, 'a tool failed');
    return 'Error: the tool failed.';
  }
}

/** Cuts a text without splitting a surrogate pair. */
function cut(text: string, maxCharacters: number): string {
  if (text === '') return '(nothing)';
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}\n[cut: it had ${text.length} characters]`;
}
