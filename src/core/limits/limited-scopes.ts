import {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type InstanceBudget,
  pickAmounts,
} from './budget-amounts.ts';
import { type Allowance, LIMIT_SCOPES, type LimitScope, type Plan, type Plans } from './plans.ts';
import type { ScopeLimits } from './reservations.ts';

/** Owner of a limit or a budget: a user, an API key, a chat by its Telegram id, a client address, or all. */
type Scope = BudgetScope | { readonly kind: 'address'; readonly id: string };

export type BudgetScope =
  | { readonly kind: Exclude<LimitScope, 'address'>; readonly id: number }
  | { readonly kind: 'instance' };

export type ScopeKind = Scope['kind'];

/** Name of a scope in the database and the management API: `user:5`, `key:12`, `chat:-1001234567890`, `instance`. */
export type ScopeName = string;

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
  /** Work that the service does by itself: only the budget of the instance applies. */
  readonly isUnlimited?: boolean | undefined;
}

export interface LimitedScope {
  readonly scope: ScopeKind;
  readonly limits: ScopeLimits;
  /** Models without a known price are refused. */
  readonly refusesUnpriced: boolean;
}

/** Where limits come from: the configuration, and the budgets stored for single scopes, which take precedence. */
export interface LimitSources {
  readonly plan: Plan;
  readonly budget: InstanceBudget | undefined;
  readonly storedBudgets: ReadonlyMap<string, BudgetAmounts>;
}

/** Plan for names that are missing in the configuration. */
const FALLBACK_PLAN = 'free';
/** Plans without limits unless the configuration defines them. */
const BUILT_IN_PLANS: ReadonlySet<string> = new Set(['admin', 'universal']);
export const NO_LIMITS: Plan = {};

/** Returns whether any plan matters to any request. */
export function hasLimits(plans: Plans): boolean {
  return Object.values(plans).some(
    (plan) => plan.allowsUnpricedModels || LIMIT_SCOPES.some((scope) => isLimited(plan[scope])),
  );
}

export function toPlan(plans: Plans, name: string): Plan {
  const planName = Object.hasOwn(plans, name) ? name : BUILT_IN_PLANS.has(name) ? undefined : FALLBACK_PLAN;
  return (planName === undefined ? undefined : plans[planName]) ?? NO_LIMITS;
}

/** Returns the scopes of a request that have limits. */
export function listScopes({ plan, budget, storedBudgets }: LimitSources, requester: LimitedRequester): LimitedScope[] {
  const scopes: LimitedScope[] = [];
  const add = (scope: Scope, given: Allowance, allowsUnpriced: boolean | undefined) => {
    const name = printScope(scope);
    const allowance = withStored(given, storedBudgets.get(name));
    if (!isLimited(allowance)) return;
    const { requestsPerMinute: requests, tokensPerDay: tokens, imagesPerDay: images, atOnce } = allowance;
    const limits = { scope: name, requests, tokens, images, atOnce, ...pickAmounts(allowance) };
    scopes.push({ scope: scope.kind, limits, refusesUnpriced: allowsUnpriced !== true });
  };
  for (const scope of listPlanScopes(requester)) {
    const allowance = scope.kind === 'key' ? withKeyLimits(plan.key, requester.keyLimits) : (plan[scope.kind] ?? {});
    add(scope, allowance, plan.allowsUnpricedModels);
  }
  add({ kind: 'instance' }, pickAmounts(budget), budget?.allowsUnpricedModels);
  return scopes;
}

function listPlanScopes({ userId, isPaidByChat, isUnlimited, keyId, chatId, address }: LimitedRequester) {
  const scopes: Exclude<Scope, { kind: 'instance' }>[] = [];
  if (isUnlimited) return scopes;
  if (!isPaidByChat) scopes.push({ kind: 'user', id: userId });
  if (keyId !== undefined) scopes.push({ kind: 'key', id: keyId });
  if (chatId !== undefined) scopes.push({ kind: 'chat', id: chatId });
  if (address !== undefined) scopes.push({ kind: 'address', id: address });
  return scopes;
}

/** Amounts of a scope. */
export interface ResolvedBudget {
  /** Those of the plan or of the configuration. */
  readonly configured: BudgetAmounts;
  /** Those that apply: the stored ones, else the configured ones. */
  readonly effective: BudgetAmounts;
}

/** Returns the amounts that apply to a scope, and those that would without stored ones. */
export function resolveBudget(
  { plan, budget }: Pick<LimitSources, 'plan' | 'budget'>,
  kind: BudgetScope['kind'],
  stored: BudgetAmounts,
): ResolvedBudget {
  const configured = pickAmounts(kind === 'instance' ? budget : plan[kind]);
  return { configured, effective: pickAmounts(withStored(configured, stored)) };
}

/** Returns the limits with the stored amounts, which take precedence one by one. */
function withStored(given: Allowance, stored: BudgetAmounts | undefined): Allowance {
  if (!stored) return given;
  const merged: { -readonly [Field in keyof Allowance]: Allowance[Field] } = { ...given };
  for (const field of BUDGET_PERIODS.map((period) => AMOUNT_FIELDS[period]))
    merged[field] = stored[field] ?? given[field];
  return merged;
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

function isLimited(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && Object.values(allowance).some((limit) => limit !== undefined);
}

export function printScope(scope: Scope): ScopeName {
  return scope.kind === 'instance' ? scope.kind : `${scope.kind}:${scope.id}`;
}

/** Returns undefined for addresses, which have no budgets, and for other texts. */
export function parseScope(name: ScopeName): BudgetScope | undefined {
  if (name === 'instance') return { kind: name };
  const [, kind, id] = /^(user|key|chat):(-?[1-9]\d{0,15})$/.exec(name) ?? [];
  return kind === 'user' || kind === 'key' || kind === 'chat' ? { kind, id: Number(id) } : undefined;
}
