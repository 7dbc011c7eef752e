import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { LimitStanding } from './limit-exceeded-error.ts';
import { createLimitOrders, HOLD_LEASE_MS, type ScopeLimits } from './limit-orders.ts';
import { readCounters, removeOldCounters } from './limit-rows.ts';
import { type Allowance, LIMIT_SCOPES, type LimitScope, type Plan, type Plans } from './plans.ts';
import { createSpareRoom, type ScopeGroup } from './spare-room.ts';
import { toRefusal, toStanding } from './standing.ts';

/** Who wants to do something. A field that is undefined has no limit of its own. */
export interface LimitedCaller {
  readonly personId: number;
  readonly keyId?: number | undefined;
  /** The chat it was asked for in. */
  readonly chatId?: number | undefined;
  /** The IP address it was asked for from. */
  readonly address?: string | undefined;
  /** Name of the person's plan, where it is known already; of the chat's where it pays. */
  readonly plan?: string | undefined;
  /** The chat pays: what the person has left does not matter, and nothing is taken from it. */
  readonly isPaidByChat?: boolean | undefined;
}

/** What a piece of work will probably use. */
export interface ExpectedUse {
  /** So many tokens must be left; only asked where tokens are limited. */
  readonly tokens: () => number;
  /** Set aside beyond these, as far as there are, until it is known how many it were. */
  readonly moreTokens: number;
  readonly pictures: number;
}

/** What it has used. */
export interface RealUse {
  readonly tokens: number;
  readonly pictures: number;
}

/** Room that is set aside for one piece of work. */
export interface Reservation {
  /** How the limits stand with it; undefined where there are none. */
  readonly standing: LimitStanding | undefined;
  /** Gives back what was not used. Must be called at the end of the work, however it ended; only the first call counts. */
  settle(use: RealUse): void;
}

/** Limits that hold however many ask at once, in however many processes. Where a plan has none, no database is asked. */
export interface Limits {
  /** Names of all plans there are. */
  readonly planNames: readonly string[];
  /**
   * Sets room aside in all scopes of the caller, or in none.
   * @throws LimitExceededError; what the database throws.
   */
  reserve(caller: LimitedCaller, expected: ExpectedUse): Promise<Reservation>;
  /** How the person's own limits stand; undefined where there are none. */
  look(caller: Pick<LimitedCaller, 'personId' | 'plan'>): Promise<LimitStanding | undefined>;
  /** Writes down what is settled. Nothing is reserved after. */
  close(): Promise<void>;
}

export interface LimitsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Looked at with every request: others may take their place. */
  readonly plans: Plans;
  /** Name of a person's plan. */
  readonly findPlan: (personId: number) => Promise<string>;
}

/** What counts for names that the settings do not know (any more). */
const FALLBACK_PLAN = 'free';
const RENEW_EVERY_MS = HOLD_LEASE_MS / 3;
/** Work that says nothing for so long has forgotten its end. */
const MAX_WORK_MS = 30 * 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** The largest amount of one piece of work. */
const MAX_AMOUNT = 2_147_483_647;
const NO_LIMITS: Plan = {};
const UNLIMITED: Reservation = { standing: undefined, settle() {} };

export function createLimits(deps: LimitsDeps): Limits {
  const { clock } = deps;
  const orders = createLimitOrders(deps);
  const spareRoom = createSpareRoom({ orders, clock });
  /** The holds of work under way, and when it began. */
  const open = new Set<{ readonly hold: string; readonly beganAt: number }>();
  let cancelRenewal: (() => void) | undefined;
  let known: Plans | undefined;
  let hasLimits = false;
  const isAnythingLimited = () => {
    if (deps.plans !== known) {
      known = deps.plans;
      hasLimits = Object.values(known).some((plan) => LIMIT_SCOPES.some((scope) => isLimited(plan[scope])));
    }
    return hasLimits;
  };

  const scheduleRenewal = () => {
    cancelRenewal ??= clock.setTimer(RENEW_EVERY_MS, () => {
      cancelRenewal = undefined;
      const oldest = clock.now() - MAX_WORK_MS;
      for (const work of open) if (work.beganAt < oldest) open.delete(work);
      if (open.size === 0) return;
      orders.renew([...new Set([...open].map(({ hold }) => hold))]);
      scheduleRenewal();
    });
  };
  const scheduleSweep = () =>
    clock.setTimer(SWEEP_EVERY_MS, () => {
      removeOldCounters(deps.db, clock.now()).catch((error: unknown) =>
        deps.logger.warn({ reason: describeError(error) }, 'old counts of limits could not be removed'),
      );
      cancelSweep = scheduleSweep();
    });
  let cancelSweep = scheduleSweep();
  const groups = createScopeGroups();
  const findPlan = async ({ personId, plan }: Pick<LimitedCaller, 'personId' | 'plan'>) =>
    toPlan(deps.plans, plan ?? (await deps.findPlan(personId)));

  return {
    get planNames() {
      return Object.keys(deps.plans);
    },
    async reserve(caller, expected) {
      if (!isAnythingLimited()) return UNLIMITED;
      const plan = caller.plan === undefined ? await findPlan(caller) : toPlan(deps.plans, caller.plan);
      const group = groups.find(plan, caller);
      const { limited } = group;
      if (limited.length === 0) return UNLIMITED;
      const { countsTokens } = group;
      const wish = {
        tokens: countsTokens ? toAmount(expected.tokens()) : 0,
        more: countsTokens ? toAmount(expected.moreTokens) : 0,
        pictures: toAmount(expected.pictures),
      };
      const taken = spareRoom.take(group, wish);
      const room = taken instanceof Promise ? await taken : taken;
      const standings = limited.map(({ scope, limits }, at) => ({ scope, limits, found: room.found[at] }));
      const now = clock.now();
      const refusal = toRefusal(standings, now);
      if (refusal) throw refusal;
      const work = { hold: room.hold, beganAt: now };
      open.add(work);
      scheduleRenewal();
      let isSettled = false;
      return {
        standing: toStanding(standings, wish, now),
        settle(use) {
          if (isSettled) return;
          isSettled = true;
          open.delete(work);
          room.settle({ tokens: toAmount(use.tokens), pictures: toAmount(use.pictures) });
        },
      };
    },
    async look(caller) {
      if (!isAnythingLimited()) return undefined;
      const limited = listScopes(await findPlan(caller), { personId: caller.personId });
      await spareRoom.giveBack();
      await orders.flush();
      const standings = await Promise.all(
        limited.map(async ({ scope, limits }) => ({
          scope,
          limits,
          found: await readCounters(deps.db, limits.scope, clock.now()),
        })),
      );
      return limited.length === 0 ? undefined : toStanding(standings, undefined, clock.now());
    },
    async close() {
      cancelRenewal?.();
      cancelRenewal = undefined;
      cancelSweep();
      await spareRoom.close();
      await orders.close();
    },
  };
}

function toPlan(plans: Plans, name: string): Plan {
  return (Object.hasOwn(plans, name) ? plans[name] : isBuiltIn(name) ? undefined : plans[FALLBACK_PLAN]) ?? NO_LIMITS;
}

/** Plans that everybody of a kind has; where the settings do not name one, it has no limits. */
function isBuiltIn(name: string): boolean {
  return name === 'admin' || name === 'universal';
}

function isLimited(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && Object.values(allowance).some((limit) => limit !== undefined);
}

interface LimitedScope {
  readonly scope: LimitScope;
  readonly limits: ScopeLimits;
}

/** The scopes of a caller that have limits, in all that is asked of them with every request. */
interface LimitedGroup extends ScopeGroup {
  readonly limited: readonly LimitedScope[];
  readonly countsTokens: boolean;
}

/** Callers whose scopes are remembered; about 5 MB. */
const MAX_GROUPS = 10_000;

/** Lists the scopes of each caller once: a busy one has the same with every request. */
function createScopeGroups() {
  const known = new Map<string, LimitedGroup & { readonly plan: Plan }>();
  return {
    find(plan: Plan, caller: LimitedCaller): LimitedGroup {
      const name = `${findPayer(caller)} ${caller.keyId} ${caller.chatId} ${caller.address}`;
      const found = known.get(name);
      if (found?.plan === plan) return found;
      const limited = listScopes(plan, caller);
      const scopes = limited.map(({ limits }) => limits);
      const countsTokens = scopes.some(({ tokens }) => tokens !== undefined);
      const group = { plan, key: JSON.stringify(scopes), scopes, limited, countsTokens };
      if (known.size >= MAX_GROUPS) known.clear();
      known.set(name, group);
      return group;
    },
  };
}

/** The person whose own limits count; undefined: only those of the chat. */
function findPayer({ isPaidByChat, personId }: LimitedCaller): LimitedCaller['personId'] | undefined {
  return isPaidByChat ? undefined : personId;
}

/** The scopes of a caller that have limits. */
function listScopes(plan: Plan, caller: LimitedCaller): LimitedScope[] {
  const ids = { person: findPayer(caller), key: caller.keyId, chat: caller.chatId, address: caller.address };
  return LIMIT_SCOPES.flatMap((scope) => {
    const allowance = plan[scope];
    const id = ids[scope];
    if (!isLimited(allowance) || id === undefined) return [];
    const { requestsPerMinute: requests, tokensPerDay: tokens, picturesPerDay: pictures, atOnce } = allowance;
    return [{ scope, limits: { scope: `${scope}:${id}`, requests, tokens, pictures, atOnce } }];
  });
}

/** Clamps to a whole amount from 0. NaN counts as the largest: less would give away what is left. */
function toAmount(value: number): number {
  return Number.isNaN(value) ? MAX_AMOUNT : Math.ceil(Math.min(Math.max(value, 0), MAX_AMOUNT));
}
