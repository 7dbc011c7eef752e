import type { ScopeLimits } from './limit-statements.ts';
import { type Allowance, LIMIT_SCOPES, type LimitScope, type Plan, type Plans } from './plans.ts';

/** The user of a request and what else its limits go by. A field that is undefined has no limit of its own. */
export interface LimitedCaller {
  readonly userId: number;
  readonly keyId?: number | undefined;
  /** The chat of the request. */
  readonly chatId?: number | undefined;
  /** The IP address of the request. */
  readonly address?: string | undefined;
  /** Name of the user's plan, where it is known already; of the chat's where it pays. */
  readonly plan?: string | undefined;
  /** The chat pays: the user's own limits do not count, and nothing is taken from them. */
  readonly isPaidByChat?: boolean | undefined;
}

export interface LimitedScope {
  readonly scope: LimitScope;
  readonly limits: ScopeLimits;
}

/** The plan for names that the settings do not have (any more). */
const FALLBACK_PLAN = 'free';
/** Without an entry in the settings these have no limits. */
const BUILT_IN_PLANS: ReadonlySet<string> = new Set(['admin', 'universal']);
const NO_LIMITS: Plan = {};

export function hasLimits(plans: Plans): boolean {
  return Object.values(plans).some((plan) => LIMIT_SCOPES.some((scope) => isLimited(plan[scope])));
}

export function toPlan(plans: Plans, name: string): Plan {
  const known = Object.hasOwn(plans, name) ? name : BUILT_IN_PLANS.has(name) ? undefined : FALLBACK_PLAN;
  return (known === undefined ? undefined : plans[known]) ?? NO_LIMITS;
}

/** Lists the scopes of a caller that have limits. */
export function listScopes(plan: Plan, caller: LimitedCaller): LimitedScope[] {
  const { userId, isPaidByChat, keyId, chatId, address } = caller;
  const ids = { person: isPaidByChat ? undefined : userId, key: keyId, chat: chatId, address };
  return LIMIT_SCOPES.flatMap((scope) => {
    const allowance = plan[scope];
    const id = ids[scope];
    if (!isLimited(allowance) || id === undefined) return [];
    const { requestsPerMinute: requests, tokensPerDay: tokens, picturesPerDay: pictures, atOnce } = allowance;
    return [{ scope, limits: { scope: `${scope}:${id}`, requests, tokens, pictures, atOnce } }];
  });
}

function isLimited(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && Object.values(allowance).some((limit) => limit !== undefined);
}
