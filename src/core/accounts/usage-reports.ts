import { and, eq, gte } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { usage } from '../../database/schema/index.ts';
import { toUtcDay, toUtcMonth } from '../../lib/dates.ts';
import { Dollars } from '../../lib/dollars.ts';
import { ledgerDay, ledgerSums, toDollars } from './ledger-sums.ts';
import type { LedgerReaderDeps } from './usage-recorder.ts';

/** Sum of usage. */
export interface UsageSum {
  readonly requests: number;
  /** Prompt and completion tokens; the equivalents of images are not counted. */
  readonly tokens: number;
  readonly images: number;
  /** US dollars, without the requests in `unpriced`; undefined if no price is known. */
  readonly costUsd: number | undefined;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
}

/** Usage of one user. Days and months are in UTC. */
export interface UsageReport {
  readonly today: UsageSum;
  readonly month: UsageSum;
  /** Usage of this month, the most used model first. */
  readonly byModel: readonly (UsageSum & { readonly model: string })[];
  /** The last 30 days including today; days without usage are omitted. */
  readonly days: readonly (UsageSum & { readonly day: string; readonly model: string })[];
}

const DAY_MS = 86_400_000;
/** Days in the report. */
const REPORT_DAYS = 30;

/**
 * Creates reports from the usage ledger. Entries that another process recorded within the last second may be missing.
 */
export function createUsageReports({ db, clock, recorder }: LedgerReaderDeps) {
  return {
    async reportOn(userId: number): Promise<UsageReport> {
      await recorder.flush();
      const now = clock.now();
      const today = toUtcDay(now);
      const firstDay = toUtcDay(now - (REPORT_DAYS - 1) * DAY_MS);
      const month = toUtcMonth(now);
      const since = new Date(`${firstDay < month ? firstDay : month}T00:00:00Z`);
      const rows = await readDays(db, userId, since);
      const days = rows.filter(({ day }) => day >= firstDay);
      const ofMonth = rows.filter(({ day }) => day >= month);
      const models = [...new Set(ofMonth.map(({ model }) => model))];
      return {
        today: sumOf(rows.filter(({ day }) => day === today)),
        month: sumOf(ofMonth),
        byModel: models
          .map((model) => ({ model, ...sumOf(ofMonth.filter((row) => row.model === model)) }))
          .sort((one, other) => other.requests - one.requests || other.tokens - one.tokens),
        days,
      };
    },
    /** Returns the usage of one API key of a user in this month. */
    async reportOnKey(userId: number, keyId: number): Promise<Pick<UsageReport, 'month'>> {
      await recorder.flush();
      const since = new Date(`${toUtcMonth(clock.now())}T00:00:00Z`);
      return { month: sumOf(await readDays(db, userId, since, keyId)) };
    },
  };
}

async function readDays(db: Database, userId: number, since: Date, keyId?: number) {
  const rows = await db
    .select({ ...ledgerSums, day: ledgerDay, model: usage.model })
    .from(usage)
    .where(
      and(
        eq(usage.userId, userId),
        keyId === undefined ? undefined : eq(usage.keyId, keyId),
        gte(usage.createdAt, since),
      ),
    )
    .groupBy(ledgerDay, usage.model)
    .orderBy(ledgerDay);
  return rows.map((row) => ({ ...row, costUsd: toDollars(row.costUsd) }));
}

function sumOf(sums: readonly UsageSum[]): UsageSum {
  const total = (field: 'requests' | 'tokens' | 'images' | 'unpriced') =>
    sums.reduce((sum, one) => sum + one[field], 0);
  const costs = sums.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  return {
    requests: total('requests'),
    tokens: total('tokens'),
    images: total('images'),
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum.add(cost), new Dollars(0)).toNumber(),
    unpriced: total('unpriced'),
  };
}
