import { z } from 'zod';

/** What one key, user, chat or address may use. A missing field is no limit. */
export interface Allowance {
  readonly requestsPerMinute?: number | undefined;
  /** Tokens of questions and answers together; days are UTC's. */
  readonly tokensPerDay?: number | undefined;
  readonly picturesPerDay?: number | undefined;
  /** Requests in flight at the same time, queued ones included. */
  readonly atOnce?: number | undefined;
}

/** Each has counters of its own; a request must fit in the limits of all of them. */
export const LIMIT_SCOPES = ['person', 'key', 'chat', 'address'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** What the users on a plan may use. A missing scope has no limit. */
export type Plan = Readonly<Partial<Record<LimitScope, Allowance | undefined>>>;

/** Plans by their name. */
export type Plans = Readonly<Record<string, Plan>>;

const count = z.number().int('must be a whole number').nonnegative('must not be negative');

const allowanceSchema = z
  .strictObject({
    requests_per_minute: count.optional(),
    tokens_per_day: count.optional(),
    pictures_per_day: count.optional(),
    at_once: count.optional(),
  })
  .transform(
    (given): Allowance => ({
      requestsPerMinute: given.requests_per_minute,
      tokensPerDay: given.tokens_per_day,
      picturesPerDay: given.pictures_per_day,
      atOnce: given.at_once,
    }),
  );

const planName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be up to 32 lowercase letters, digits and hyphens');

const planSchema = z.strictObject({
  person: allowanceSchema.optional(),
  key: allowanceSchema.optional(),
  chat: allowanceSchema.optional(),
  address: allowanceSchema.optional(),
});

/** `plans` of the settings: a name, below it the scopes, below each its limits. A plan without anything in it limits nothing. */
export const plansSchema = z.record(
  planName,
  z.preprocess((plan) => plan ?? {}, planSchema),
);
