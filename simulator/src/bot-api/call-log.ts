import type { Call } from './call.ts';
import type { Outcome } from './outcome.ts';
import type { Params } from './params.ts';

/** One call that a bot made. */
export interface LoggedCall {
  /** Time at which the response was ready, in milliseconds since the epoch. */
  readonly at: number;
  readonly botId: number;
  readonly method: string;
  readonly params: Params;
  /** HTTP status; undefined if a fault suppressed the response. */
  readonly status: number | undefined;
  /** Description of the error, if the call was refused. */
  readonly description: string | undefined;
}

export interface CallLog {
  add(call: Call, outcome: Outcome): void;
  /** Returns calls, oldest first: all except polls, or only those of one method (case-insensitive). */
  list(method?: string): LoggedCall[];
  clear(): void;
}

/**
 * Keeps the newest `capacity` calls, and separately as many polls (`getUpdates`), so that polls evict no other calls.
 */
export function createCallLog(capacity: number): CallLog {
  const calls: LoggedCall[] = [];
  const polls: LoggedCall[] = [];
  return {
    add(call, outcome) {
      const { world, bot, method, params } = call;
      const status = 'status' in outcome ? outcome.status : undefined;
      const list = isPoll(method) ? polls : calls;
      list.push({ at: world.clock.now(), botId: bot.id, method, params, status, description: describe(outcome) });
      if (list.length > capacity) list.shift();
    },
    list(method) {
      if (method === undefined) return [...calls];
      return isPoll(method) ? [...polls] : calls.filter((call) => isSame(call.method, method));
    },
    clear() {
      calls.length = 0;
      polls.length = 0;
    },
  };
}

function isPoll(method: string): boolean {
  return isSame(method, 'getUpdates');
}

function isSame(method: string, other: string): boolean {
  return method.toLowerCase() === other.toLowerCase();
}

function describe(outcome: Outcome): string | undefined {
  if (outcome.type !== 'answer' || typeof outcome.body !== 'object' || outcome.body === null) return undefined;
  return 'description' in outcome.body ? String(outcome.body.description) : undefined;
}
