import { and, asc, eq, gt, gte, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { blockedHashes, files, idempotentRequests, usage } from '../../database/schema/index.ts';
import type { CircuitState, Models, ProviderStatus } from '../models/index.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** A configured provider. */
export interface ProviderOverview extends ProviderStatus {
  readonly circuits: readonly CircuitState[];
  /** Median duration of its answers in the last hour, in milliseconds; undefined if there were none. */
  readonly medianMs: number | undefined;
}

const HOUR_MS = 3_600_000;

/** Lists providers in the order of preference. Circuit breakers are those of this process. */
export async function listProviders(
  db: Database,
  models: Pick<Models, 'providers' | 'circuits'>,
  nowMs: number,
): Promise<readonly ProviderOverview[]> {
  const median = sql<number>`percentile_cont(0.5) within group (order by ${usage.durationMs})`.mapWith(Number);
  const rows = await db
    .select({ provider: usage.provider, median })
    .from(usage)
    .where(gte(usage.createdAt, new Date(nowMs - HOUR_MS)))
    .groupBy(usage.provider);
  const medians = new Map(rows.map((row) => [row.provider, Math.round(row.median)]));
  const circuits = models.circuits();
  return models.providers().map((status) => ({
    ...status,
    circuits: circuits.filter(({ provider }) => provider === status.name),
    medianMs: medians.get(status.name),
  }));
}

/** Stored files in numbers. Nothing about a single file. */
export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
  /** Shared conversations, which are counted in `files` as well. */
  readonly sharedConversations: number;
  /** Uploads in progress; not counted in `files`. */
  readonly uploading: number;
  /** Number of blocked contents. */
  readonly blocked: number;
}

const count = sql<number>`count(*)`.mapWith(Number);
const bytes = sql<number>`coalesce(sum(${files.sizeBytes}), 0)`.mapWith(Number);

export async function countFiles(db: Database): Promise<FileTotals> {
  const isReady = sql`${files.state} = 'ready'`;
  const [totals] = await db
    .select({
      files: sql<number>`count(*) filter (where ${isReady})`.mapWith(Number),
      bytes: sql<number>`coalesce(sum(${files.sizeBytes}) filter (where ${isReady}), 0)`.mapWith(Number),
      sharedConversations: sql<number>`count(*) filter (where ${isReady} and ${files.kind} = 'conversation')`.mapWith(
        Number,
      ),
      uploading: sql<number>`count(*) filter (where ${files.state} = 'uploading')`.mapWith(Number),
    })
    .from(files);
  const [blocked] = await db.select({ count }).from(blockedHashes);
  const none = { files: 0, bytes: 0, sharedConversations: 0, uploading: 0 };
  return { ...none, ...totals, blocked: blocked?.count ?? 0 };
}

/** Files of one user in numbers. */
export interface UserFiles {
  readonly userId: number;
  readonly files: number;
  readonly bytes: number;
}

/** Lists users with files by id. */
export async function listUserFiles(db: Database, { limit, after }: PageRequest): Promise<Page<UserFiles>> {
  const rows = await db
    .select({ userId: sql<number>`${files.userId}`.mapWith(Number), files: count, bytes })
    .from(files)
    .where(and(isNotNull(files.userId), eq(files.state, 'ready'), after && gt(files.userId, Number(after[0]))))
    .groupBy(files.userId)
    .orderBy(asc(files.userId))
    .limit(limit + 1);
  return toPage(rows, limit, { toItem: (row) => row, toKey: ({ userId }) => [userId] });
}

/** Returns the version of the database, such as `17.5`. */
export async function readDatabaseVersion(db: Database): Promise<string> {
  const [row] = await db
    .select({ version: sql<string>`current_setting('server_version')` })
    .from(sql`(select 1) as one`);
  return row?.version ?? '';
}

/** Counts running requests with an idempotency key, without those whose process has died. */
export async function countIdempotentRequests(db: Database): Promise<number> {
  const { state, expiresAt } = idempotentRequests;
  const [row] = await db
    .select({ count })
    .from(idempotentRequests)
    .where(and(eq(state, 'running'), gt(expiresAt, sql`now()`)));
  return row?.count ?? 0;
}
