import { sql } from 'drizzle-orm';
import { usage } from '../../database/schema/index.ts';

/**
 * Sums over rows of the usage ledger, the same wherever usage is shown. Tokens are those of prompts and completions; those
 * of images, which many hosts don't report, are not counted.
 */
export const ledgerSums = {
  requests: sql<number>`count(*)`.mapWith(Number),
  tokens:
    sql<number>`coalesce(sum(${usage.promptTokens}::bigint + ${usage.completionTokens}) filter (where ${usage.kind} <> 'image'), 0)`.mapWith(
      Number,
    ),
  images: sql<number>`coalesce(sum(${usage.imageCount}), 0)`.mapWith(Number),
  /** Null if no price is known. */
  costUsd: sql<string | null>`sum(${usage.costUsd})`,
  unpriced: sql<number>`count(*) filter (where ${usage.costUsd} is null)`.mapWith(Number),
};

/** UTC day such as `2026-11-21`. */
export const ledgerDay = sql<string>`to_char(${usage.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;

export function toDollars(sum: string | null | undefined): number | undefined {
  return sum === null || sum === undefined ? undefined : Number(sum);
}
