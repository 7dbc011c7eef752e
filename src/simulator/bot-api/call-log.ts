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
  /** Oldest first; only of one method where one is named (in any case). */
  list(method?: string): LoggedCall[];
  clear(): void;
}

/** Keeps the newest `capacity` calls. Polls (`getUpdates`) are left out. */
export function createCallLog(capacity: number): CallLog {
  let calls: LoggedCall[] = [];
  return {
    add(call, outcome) {
      if (call.method === 'getUpdates') return;
      const { world, bot, method, params } = call;
      const status = 'status' in outcome ? outcome.status : undefined;
      calls.push({ at: world.clock.now(), botId: bot.id, method, params, status, description: describe(outcome) });
      if (calls.length > capacity) calls.shift();
    },
    list: (method) => calls.filter((call) => !method || call.method.toLowerCase() === method.toLowerCase()),
    clear() {
      calls = [];
    },
  };
}

function describe(outcome: Outcome): string | undefined {
  if (outcome.type !== 'answer' || typeof outcome.body !== 'object' || outcome.body === null) return undefined;
  return 'description' in outcome.body ? String(outcome.body.description) : undefined;
}
