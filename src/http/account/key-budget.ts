import type { z } from 'zod';
import { type ApiKey, SetByAdminError } from '../../core/accounts/index.ts';
import {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type BudgetChanges,
  printScope,
} from '../../core/limits/index.ts';
import { dollarsSchema } from '../../lib/dollars.ts';
import { invalidRequest } from '../server/http-error.ts';
import type { HttpServices } from '../services.ts';
import { getUser } from './profile.ts';

const FIELDS = { usdPerDay: 'dollars_per_day', usdPerMonth: 'dollars_per_month', usdTotal: 'dollars_total' } as const;

/** The budget of a key in an answer. null: no budget of its own. */
export interface KeyBudget {
  readonly dollars_per_day: number | null;
  readonly dollars_per_month: number | null;
  readonly dollars_total: number | null;
}

const amount = dollarsSchema.nullable().optional();
/** The budget of a key in a body. null removes an amount. */
export const keyBudgetShape = { dollars_per_day: amount, dollars_per_month: amount, dollars_total: amount };
type GivenBudget = z.infer<z.ZodObject<typeof keyBudgetShape>>;

export function toKeyBudget({ usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts = {}): KeyBudget {
  return {
    dollars_per_day: usdPerDay ?? null,
    dollars_per_month: usdPerMonth ?? null,
    dollars_total: usdTotal ?? null,
  };
}

export function toKeyScope(keyId: number) {
  return printScope({ kind: 'key', id: keyId });
}

/**
 * Returns what a body changes of the budget of a user's key. The budget of a key takes precedence over the plan, so the
 * plan must bound it, unless an admin has set more.
 * @param key undefined for a key that does not exist yet.
 * @throws HttpError 400 for more than the plan allows; SetByAdminError.
 */
export async function checkKeyBudget(
  services: HttpServices,
  given: GivenBudget,
  { userId, key }: { readonly userId: number; readonly key?: ApiKey },
): Promise<BudgetChanges> {
  const stored = key ? await services.budgets.readBudget(toKeyScope(key.id)) : {};
  const names = BUDGET_PERIODS.map((period) => AMOUNT_FIELDS[period]).filter((name) => {
    const value = given[FIELDS[name]];
    return value !== undefined && value !== (stored[name] ?? null);
  });
  if (names.length === 0) return {};
  if (key?.adminRules.includes('budget')) throw new SetByAdminError(['budget']);
  const { plan } = await getUser(services, userId);
  const allowed = await services.limits.readKeyBudget({ userId, plan });
  for (const name of names) {
    const most = Math.max(allowed[name] ?? Number.POSITIVE_INFINITY, stored[name] ?? 0);
    if ((given[FIELDS[name]] ?? 0) > most)
      throw invalidRequest(`Your plan allows a key at most $${most} here.`, FIELDS[name]);
  }
  return Object.fromEntries(names.map((name) => [name, given[FIELDS[name]]]));
}
