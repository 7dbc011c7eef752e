import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { usage } from '../../../database/schema/index.ts';

/** Kinds of generations in the usage ledger. */
export const USAGE_KINDS = usage.kind.enumValues;

/** A moment: an instant, or the beginning of a day (`2026-11-23`) in the time zone of the query. */
export type Moment = Date | string;

/** Filter for rows of the usage ledger. */
export interface UsageFilter {
  readonly userId?: number | undefined;
  readonly keyId?: number | undefined;
  /** Telegram id of the chat. */
  readonly chatId?: number | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly kind?: (typeof USAGE_KINDS)[number] | undefined;
  readonly from: Moment;
  /** Excluded. */
  readonly to: Moment;
  /** IANA name. */
  readonly timeZone: string;
}

/** A period of time. `to` is excluded. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Thrown for a time zone that the database does not know. */
export class UnknownTimeZoneError extends Error {
  override readonly name = 'UnknownTimeZoneError';
}

/** Postgres: invalid_parameter_value. */
const INVALID_PARAMETER = '22023';

/**
 * Converts the moments of a filter to instants.
 * @throws UnknownTimeZoneError
 */
export async function toPeriod(db: Database, { from, to, timeZone }: UsageFilter): Promise<Period> {
  if (from instanceof Date && to instanceof Date && timeZone === 'UTC') return { from, to };
  const instant = (moment: Moment) =>
    moment instanceof Date
      ? sql<string>`${moment.toISOString()}::timestamptz`
      : sql<string>`(${moment}::timestamp at time zone ${timeZone})`;
  try {
    const [row] = await db
      .select({
        from: sql<string>`extract(epoch from ${instant(from)})`,
        to: sql<string>`extract(epoch from ${instant(to)})`,
        // Also checks the time zone if no moment needs it.
        zone: sql`now() at time zone ${timeZone}`,
      })
      .from(sql`(select 1) as one`);
    return { from: new Date(Number(row?.from) * 1000), to: new Date(Number(row?.to) * 1000) };
  } catch (error) {
    if (hasCode(error, INVALID_PARAMETER)) throw new UnknownTimeZoneError(timeZone);
    throw error;
  }
}

/** Returns whether an error of the database, or its cause, has this code. */
export function hasCode(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false;
  return Reflect.get(error, 'code') === code || hasCode(error.cause, code);
}

/** Returns the condition on the columns, without the time. */
export function toColumnCondition({ userId, keyId, chatId, model, provider, kind }: UsageFilter): SQL | undefined {
  return and(
    userId === undefined ? undefined : eq(usage.userId, userId),
    keyId === undefined ? undefined : eq(usage.keyId, keyId),
    chatId === undefined ? undefined : eq(usage.chatId, chatId),
    model === undefined ? undefined : eq(usage.model, model),
    provider === undefined ? undefined : eq(usage.provider, provider),
    kind && eq(usage.kind, kind),
  );
}

export function toCondition(filter: UsageFilter, { from, to }: Period): SQL | undefined {
  return and(gte(usage.createdAt, from), lt(usage.createdAt, to), toColumnCondition(filter));
}
