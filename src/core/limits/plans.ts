import { z } from 'zod';
import { dollarsSchema } from '../../lib/dollars.ts';
import { renameKeys } from '../../lib/json/rename-keys.ts';
import { type BudgetAmounts, budgetFields, toBudgetAmounts } from './budget-amounts.ts';

/** Limits of one key, user, chat or address. A missing field is unlimited. Addresses have no budget. */
export interface Allowance extends BudgetAmounts {
  readonly requestsPerMinute?: number | undefined;
  /** Prompt and completion tokens per UTC day. */
  readonly tokensPerDay?: number | undefined;
  readonly imagesPerDay?: number | undefined;
  /** Requests in flight, queued ones included. */
  readonly atOnce?: number | undefined;
}

/** Scopes of limits. Each has its own counters; a request must satisfy the limits of all of them. */
export const LIMIT_SCOPES = ['user', 'key', 'chat', 'address'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** Limits of a plan by scope. A missing scope is unlimited. */
export interface Plan extends Readonly<Partial<Record<LimitScope, Allowance | undefined>>> {
  /** Whether models without a known price may be used under a budget; they count nothing. Default false. */
  readonly allowsUnpricedModels?: boolean | undefined;
  /** Amounts in US dollars by which owners may raise their own budgets. Default none. */
  readonly raiseByUsd?: readonly number[] | undefined;
  readonly tasks?: PlannedTasks | undefined;
}

/** Bounds of a user's tasks and reminders. A missing field has the default. */
export interface PlannedTasks {
  /** Active ones in all chats. */
  readonly active?: number | undefined;
  readonly shortestIntervalMinutes?: number | undefined;
}

/** Plan of groups that pay for themselves and have no other. If it is not configured, their users pay. */
export const GROUP_PLAN = 'group';

/** Plans by name. */
export type Plans = Readonly<Record<string, Plan>>;

const MAX_RAISE_STEPS = 6;

/** Keys of plans before version 0.3, read until version 0.4. */
const FORMER_KEYS = { person: 'user', pictures_per_day: 'images_per_day' };
const toCurrentKeys = (given: unknown) => renameKeys(given, FORMER_KEYS);

const count = z.number().int('must be a whole number').nonnegative('must not be negative');

const quotasSchema = z.strictObject({
  requests_per_minute: count.optional(),
  tokens_per_day: count.optional(),
  images_per_day: count.optional(),
  at_once: count.optional(),
});

const toQuotas = (given: z.output<typeof quotasSchema>): Allowance => ({
  requestsPerMinute: given.requests_per_minute,
  tokensPerDay: given.tokens_per_day,
  imagesPerDay: given.images_per_day,
  atOnce: given.at_once,
});

const allowanceSchema = z.preprocess(
  toCurrentKeys,
  quotasSchema
    .extend(budgetFields)
    .transform((given): Allowance => ({ ...toQuotas(given), ...toBudgetAmounts(given) })),
);
const addressSchema = z.preprocess(toCurrentKeys, quotasSchema.transform(toQuotas));

const tasksSchema = z
  .strictObject({
    active: count.optional(),
    shortest_interval_minutes: count.positive('must be positive').optional(),
  })
  .transform(
    ({ active, shortest_interval_minutes }): PlannedTasks => ({
      active,
      shortestIntervalMinutes: shortest_interval_minutes,
    }),
  );

const planName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be up to 32 lowercase letters, digits and hyphens');

const planSchema = z
  .strictObject({
    user: allowanceSchema.optional(),
    key: allowanceSchema.optional(),
    chat: allowanceSchema.optional(),
    address: addressSchema.optional(),
    allows_unpriced_models: z.boolean().optional(),
    raise_by_dollars: z
      .array(dollarsSchema.positive('must be positive'))
      .max(MAX_RAISE_STEPS, `must have at most ${MAX_RAISE_STEPS} amounts`)
      .optional(),
    tasks: tasksSchema.optional(),
  })
  .transform(
    ({ allows_unpriced_models: allowsUnpricedModels, raise_by_dollars: raiseByUsd, tasks, ...scopes }): Plan => ({
      ...scopes,
      ...(tasks === undefined ? {} : { tasks }),
      ...(allowsUnpricedModels === undefined ? {} : { allowsUnpricedModels }),
      ...(raiseByUsd === undefined ? {} : { raiseByUsd }),
    }),
  );

/** Schema of `plans` in the configuration: plan name → scope → limits. An empty plan has no limits. */
export const plansSchema = z.record(
  planName,
  z.preprocess((plan) => toCurrentKeys(plan ?? {}), planSchema),
);
