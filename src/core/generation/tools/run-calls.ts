import type { Clock } from '../../../lib/clock.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import { readSmallJson } from '../../../lib/json/read-json.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ChatMessage, ToolCall } from '../../models/index.ts';
import { runTool, type Tool, type ToolContext, type ToolLimits } from '../../tools/index.ts';
import type { ToolBudget } from './tool-budget.ts';
import type { ToolGuard, ToolUse } from './tool-guard.ts';

/** Tool calls of one step, some of which may have no result yet. */
export interface OpenCalls {
  readonly calls: readonly ToolCall[];
  /** Result of each call; null if there is none yet. */
  readonly results: readonly (string | null)[];
  /** The user's decision about the first call without a result; undefined if the user was not asked. */
  readonly isAllowed?: boolean | undefined;
}

/**
 * Tool calls of an answer that waits for the user's decision. Contains all that is needed to continue after a restart.
 */
export interface PausedCalls {
  /** Messages of the steps since the question, in the form sent to the model; the last one contains the calls. */
  readonly messages: readonly ChatMessage[];
  /** Result of each call in the last message; null if there is none yet. The user is asked about the first of these. */
  readonly results: readonly (string | null)[];
}

export interface RunCallsParams {
  readonly userId: number;
  readonly addSource: ToolContext['addSource'];
  readonly tools: readonly Tool[];
  readonly limits: ToolLimits;
  readonly guard: ToolGuard;
  readonly budget: ToolBudget;
  readonly signal: AbortSignal;
}

/** Results returned to the model for refused calls. */
const REFUSED_BY_USER = 'Error: the user did not allow this call. Go on without it.';
const REFUSED_HERE =
  'Error: this call is not allowed here, because the conversation contains text that others have written. Go on without it.';

/** Calls that may run now, and the first one that needs a decision of the user. */
export interface DecidedCalls {
  readonly results: (string | null)[];
  readonly runs: readonly (ToolUse & { readonly at: number })[];
  readonly asked: ToolUse | undefined;
}

/** Decides which calls without a result may run. Refused calls get their result at once. */
export async function decideCalls(
  { calls, results: earlierResults, isAllowed }: OpenCalls,
  { tools, limits, guard, budget }: Pick<RunCallsParams, 'tools' | 'limits' | 'guard' | 'budget'>,
): Promise<DecidedCalls> {
  const results = [...earlierResults];
  const runs: (ToolUse & { readonly at: number })[] = [];
  let asked: ToolUse | undefined;
  const pressedAt = isAllowed === undefined ? -1 : results.indexOf(null);
  const decide = async (call: OpenCalls['calls'][number], at: number): Promise<string | null> => {
    const tool = tools.find(({ name }) => name === call.name);
    if (at >= limits.callsAtOnce) return `Error: only ${limits.callsAtOnce} tools may be called at once.`;
    if (!tool) return `Error: there is no tool '${call.name}'.`;
    const use = toUse(tool, call.arguments);
    if (at === pressedAt && !isAllowed) {
      guard.recordRefusal(use);
      return REFUSED_BY_USER;
    }
    const decision = at === pressedAt ? 'run' : await guard.decide(use);
    if (decision === 'refuse') return REFUSED_HERE;
    if (decision === 'ask') asked ??= use;
    else if (budget.takeCall(tool)) runs.push({ ...use, at });
    else return `Error: the limit of ${tool.maxCalls} calls in one answer is reached.`;
    return null;
  };
  for (const [at, call] of calls.entries()) results[at] ??= await decide(call, at);
  return { results, runs, asked };
}

/**
 * Runs the permitted calls concurrently.
 * @returns the result of each call; null if there is none yet.
 */
export async function runCalls(
  deps: { readonly clock: Clock; readonly logger: Logger },
  calls: OpenCalls['calls'],
  { results, runs }: DecidedCalls,
  { userId, addSource, guard, limits, budget, signal }: RunCallsParams,
): Promise<readonly (string | null)[]> {
  const maxCharacters = budget.resultCharacters(runs.length);
  const { hasForeignText, recordForeignText } = guard;
  const context = { userId, hasForeignText, recordForeignText, addSource };
  const contents = await Promise.all(
    runs.map(({ tool, at }) => {
      const timeoutMs = Math.max(1, Math.min(limits.callTimeoutMs, budget.leftMs()));
      return runTool(deps, tool, calls[at]?.arguments ?? '', { ...context, timeoutMs, maxCharacters, signal });
    }),
  );
  for (const [index, { tool, parameters, at }] of runs.entries()) {
    const content = contents[index] ?? '';
    guard.readResult(tool, parameters, content);
    budget.recordResult(content);
    results[at] = content;
  }
  return results;
}

/** Converts results to tool messages, in the order of the calls. */
export function toResultMessages(
  calls: OpenCalls['calls'],
  results: readonly (string | null)[],
): readonly ChatMessage[] {
  return calls.map(({ id }, at) => ({ role: 'tool', toolCallId: id, content: results[at] ?? '' }));
}

/** Restores a paused answer: returns its open calls and replays earlier results into guard and budget. */
export function reopenCalls(
  { messages, results }: PausedCalls,
  { tools, guard, budget }: Pick<RunCallsParams, 'tools' | 'guard' | 'budget'>,
): Omit<OpenCalls, 'isAllowed'> {
  let calls: OpenCalls['calls'] = [];
  const read = (call: OpenCalls['calls'][number] | undefined, result: unknown) => {
    if (!call || typeof result !== 'string') return;
    const tool = tools.find(({ name }) => name === call.name);
    const { parameters } = toUse(tool, call.arguments);
    guard.readResult(tool, parameters, result);
    budget.recordResult(result);
    if (tool) budget.takeCall(tool);
    if (tool && result === REFUSED_BY_USER) guard.recordRefusal({ tool, parameters });
  };
  for (const message of messages) {
    if (message.role === 'assistant') calls = message.toolCalls ?? [];
    else if (message.role === 'tool')
      read(
        calls.find(({ id }) => id === message.toolCallId),
        message.content,
      );
  }
  for (const [at, result] of results.entries()) read(calls[at], result);
  return { calls, results };
}

function toUse<Wanted extends Tool | undefined>(tool: Wanted, written: string) {
  const parameters = readSmallJson(written);
  return { tool, parameters: isJsonObject(parameters) ? parameters : {} };
}
