import { z } from 'zod';

/** Limits of one key, user, chat or address. A missing field is unlimited. */
export interface Allowance {
  readonly requestsPerMinute?: number | undefined;
  /** Prompt and completion tokens per UTC day. */
  readonly tokensPerDay?: number | undefined;
  readonly imagesPerDay?: number | undefined;
  /** Requests in flight, queued ones included. */
  readonly atOnce?: number | undefined;
}

/** Scopes of limits. Each has its own counters; a request must satisfy the limits of all of them. */
export const LIMIT_SCOPES = ['person', 'key', 'chat', 'address'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** Limits of a plan by scope. A missing scope is unlimited. */
export type Plan = Readonly<Partial<Record<LimitScope, Allowance | undefined>>>;

/** Plans by name. */
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
      imagesPerDay: given.pictures_per_day,
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

/** Schema of `plans` in the configuration: plan name → scope → limits. An empty plan has no limits. */
export const plansSchema = z.record(
  planName,
  z.preprocess((plan) => plan ?? {}, planSchema),
);
