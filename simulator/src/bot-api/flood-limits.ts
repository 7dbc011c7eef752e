import { tooManyRequests } from '../api-error.ts';
import type { Clock } from '../clock.ts';

/**
 * Telegram's flood control, as far as it is known: about one message a second in a private chat with short bursts
 * tolerated, 20 a minute in a group or channel, 30 a second in total. Edits and sends share a budget, and topics share
 * the budget of their chat.
 * Drafts and chat actions have a separate budget: 20 in 5 s and 40 in 30 s per chat.
 * Sources: the Bot FAQ ("My bot is hitting limits"), tdlib/td#3034, core.telegram.org/api/bots/ai.
 */
export interface FloodLimits {
  /**
   * Counts a call as `cost` messages (an album counts every item). A call during a wait extends the wait.
   * @throws ApiError 429
   */
  check(call: { botId: number; chat: { key: string; isPrivate: boolean }; kind: CallKind; cost: number }): void;
}

/** `message`: sends and edits. `presence`: drafts and chat actions. */
export type CallKind = 'message' | 'presence';

interface Rule {
  readonly count: number;
  readonly windowMs: number;
}

const PRIVATE: readonly Rule[] = [
  { count: 6, windowMs: 5000 },
  { count: 33, windowMs: 30_000 },
];
const GROUP: readonly Rule[] = [{ count: 20, windowMs: 60_000 }];
const EVERYTHING: readonly Rule[] = [{ count: 30, windowMs: 1000 }];
const PRESENCE: readonly Rule[] = [
  { count: 20, windowMs: 5000 },
  { count: 40, windowMs: 30_000 },
];

/** Shortest wait that Telegram asks for. */
const LEAST_WAIT_MS = 3000;
/** Extension of the wait for each call made during it, and the upper bound. */
const PENALTY_MS = 2000;
const LONGEST_WAIT_MS = 3_600_000;

interface Budget {
  /** Times of the calls that still count, oldest first. */
  times: number[];
  blockedUntil: number;
}

/** Creates flood limits that run on `clock`. Unused budgets are removed. */
export function createFloodLimits(clock: Clock): FloodLimits {
  const budgets = new Map<string, Budget>();

  const spend = (key: string, rules: readonly Rule[], cost: number) => {
    const now = clock.now();
    const longestWindow = Math.max(...rules.map((rule) => rule.windowMs));
    const budget = budgets.get(key) ?? { times: [], blockedUntil: 0 };
    budgets.set(key, budget);
    if (now < budget.blockedUntil) {
      budget.blockedUntil = Math.min(budget.blockedUntil + PENALTY_MS, now + LONGEST_WAIT_MS);
      throw tooManyRequests((budget.blockedUntil - now) / 1000);
    }
    budget.times = budget.times.filter((time) => time > now - longestWindow);
    const freeAt = Math.max(...rules.map((rule) => whenFree(budget.times, rule, cost, now)));
    if (freeAt > now) {
      budget.blockedUntil = Math.max(freeAt, now + LEAST_WAIT_MS);
      throw tooManyRequests((budget.blockedUntil - now) / 1000);
    }
    for (let count = 0; count < cost; count++) budget.times.push(now);
  };

  const forgetUnused = () => {
    const now = clock.now();
    for (const [key, { times, blockedUntil }] of budgets) {
      if (blockedUntil < now && (times.at(-1) ?? 0) < now - 60_000) budgets.delete(key);
    }
  };

  return {
    check({ botId, chat, kind, cost }) {
      if (budgets.size > 1000) forgetUnused();
      if (kind === 'presence') return spend(`presence ${botId} ${chat.key}`, PRESENCE, cost);
      spend(`chat ${botId} ${chat.key}`, chat.isPrivate ? PRIVATE : GROUP, cost);
      spend(`all ${botId}`, EVERYTHING, cost);
    },
  };
}

/** Returns the time at which `cost` more calls fit into the window. */
function whenFree(times: readonly number[], rule: Rule, cost: number, now: number): number {
  const counted = times.filter((time) => time > now - rule.windowMs);
  const excess = counted.length + cost - rule.count;
  if (excess <= 0 || counted.length === 0) return now;
  const oldest = counted[Math.min(excess, counted.length) - 1];
  return oldest === undefined ? now : oldest + rule.windowMs;
}
