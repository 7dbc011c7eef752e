import type { Call } from './call.ts';
import type { Outcome } from './outcome.ts';
import type { Params } from './params.ts';

/** One call that a bot made. */
export interface LoggedCall {
  /** Milliseconds since the epoch, when the answer was ready. */
  readonly at: number;
  readonly botId: number;
  readonly method: string;
  readonly params: Params;
  /** Status of the answer; undefined where a fault kept it away. */
  readonly status: number | undefined;
  /** Of a refusal. */
  readonly description: string | undefined;
}

export interface CallLog {
  add(call: Call, outcome: Outcome): void;
  /** Oldest first: all but polls, or only those of one method (in any case). */
  list(method?: string): LoggedCall[];
  clear(): void;
}

/** Keeps the newest `capacity` calls, and as many polls (`getUpdates`), which push no other calls out. */
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
