import type { ScopeLimits } from './limit-statements.ts';
import { type Allowance, LIMIT_SCOPES, type LimitScope, type Plan, type Plans } from './plans.ts';

/** Limits that the owner of a key sets for it. */
export type KeyLimits = Pick<Allowance, 'requestsPerMinute' | 'tokensPerDay' | 'atOnce'>;

/** The user of a request and the other ids that limits apply to. Undefined ids are not limited. */
export interface LimitedRequester {
  readonly userId: number;
  readonly keyId?: number | undefined;
  /** Telegram id of the chat. */
  readonly chatId?: number | undefined;
  /** IP address of the client. */
  readonly address?: string | undefined;
  /** Name of the user's plan, if already known; of the chat's plan if `isPaidByChat`. */
  readonly plan?: string | undefined;
  /** Limits of the key itself, in addition to those of the plan. */
  readonly keyLimits?: KeyLimits | undefined;
  /** Usage counts against the chat's limits only, not against the user's. */
  readonly isPaidByChat?: boolean | undefined;
}

export interface LimitedScope {
  readonly scope: LimitScope;
  readonly limits: ScopeLimits;
}

/** Plan for names that are missing in the configuration. */
const FALLBACK_PLAN = 'free';
/** Plans without limits unless the configuration defines them. */
const BUILT_IN_PLANS: ReadonlySet<string> = new Set(['admin', 'universal']);
const NO_LIMITS: Plan = {};

/** Returns whether any request can be limited by its plan. */
export function hasLimits(plans: Plans): boolean {
  return Object.values(plans).some((plan) => LIMIT_SCOPES.some((scope) => isLimited(plan[scope])));
}

export function toPlan(plans: Plans, name: string): Plan {
  const planName = Object.hasOwn(plans, name) ? name : BUILT_IN_PLANS.has(name) ? undefined : FALLBACK_PLAN;
  return (planName === undefined ? undefined : plans[planName]) ?? NO_LIMITS;
}

export function listScopes(plan: Plan, requester: LimitedRequester): LimitedScope[] {
  const { userId, isPaidByChat, keyId, keyLimits, chatId, address } = requester;
  const ids = { person: isPaidByChat ? undefined : userId, key: keyId, chat: chatId, address };
  return LIMIT_SCOPES.flatMap((scope) => {
    const allowance = scope === 'key' ? withKeyLimits(plan.key, keyLimits) : plan[scope];
    const id = ids[scope];
    if (!isLimited(allowance) || id === undefined) return [];
    const { requestsPerMinute: requests, tokensPerDay: tokens, imagesPerDay: images, atOnce } = allowance;
    return [{ scope, limits: { scope: `${scope}:${id}`, requests, tokens, pictures: images, atOnce } }];
  });
}

/** Returns the limits of a plan with those of the key where they are lower. */
function withKeyLimits(allowance: Allowance | undefined, own: KeyLimits = {}): Allowance {
  const lower = (limit: number | undefined, other: number | undefined) =>
    limit === undefined || other === undefined ? (limit ?? other) : Math.min(limit, other);
  return {
    ...allowance,
    requestsPerMinute: lower(allowance?.requestsPerMinute, own.requestsPerMinute),
    tokensPerDay: lower(allowance?.tokensPerDay, own.tokensPerDay),
    atOnce: lower(allowance?.atOnce, own.atOnce),
  };
}

export function isLimited(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && Object.values(allowance).some((limit) => limit !== undefined);
}
