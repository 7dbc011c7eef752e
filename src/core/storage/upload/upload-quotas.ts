import { and, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { uploadVolumes } from '../../../database/schema/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { QuotaExceededError, StorageUnavailableError } from '../storage.ts';

export type UploadQuotas = ReturnType<typeof createUploadQuotas>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_AFTER_MS = 10_000;

/** Quotas of clients: concurrent uploads in this process, bytes within 24 hours in all processes. */
export function createUploadQuotas(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly maxConcurrent: number;
  readonly maxConcurrentPerClient: number;
  readonly maxBytesPerDay: number;
}) {
  const { clock, maxBytesPerDay } = deps;
  const underWay = new Map<string, number>();
  let totalCount = 0;

  const count = (client: string, change: number) => {
    const now = (underWay.get(client) ?? 0) + change;
    if (now === 0) underWay.delete(client);
    else underWay.set(client, now);
  };
  const check = async (db: Database, clients: readonly string[], sizeBytes: number) => {
    if (clients.length === 0 || maxBytesPerDay === Number.POSITIVE_INFINITY) return;
    const since = new Date(clock.now() - DAY_MS);
    const volumes = await db
      .select()
      .from(uploadVolumes)
      .where(and(inArray(uploadVolumes.client, [...clients]), gt(uploadVolumes.hour, since)))
      .orderBy(uploadVolumes.hour);
    for (const client of clients) {
      const own = volumes.filter((volume) => volume.client === client);
      let excess = own.reduce((total, volume) => total + volume.sizeBytes, sizeBytes) - maxBytesPerDay;
      if (excess <= 0) continue;
      // Finds the hour after whose expiry the volume fits the quota again.
      const freeing = own.find((volume) => {
        excess -= volume.sizeBytes;
        return excess <= 0;
      });
      const freeAt = (freeing ?? own.at(-1))?.hour.getTime() ?? clock.now();
      throw new QuotaExceededError(
        `At most ${maxBytesPerDay} bytes can be uploaded within 24 hours.`,
        Math.max(freeAt + DAY_MS - clock.now(), RETRY_AFTER_MS),
      );
    }
  };

  return {
    /**
     * Counts an upload as in flight until the returned function is called.
     * @throws QuotaExceededError, StorageUnavailableError
     */
    enter(clients: readonly string[]): () => void {
      if (totalCount >= deps.maxConcurrent) {
        throw new StorageUnavailableError('Too many uploads are in progress.', RETRY_AFTER_MS);
      }
      if (clients.some((client) => (underWay.get(client) ?? 0) >= deps.maxConcurrentPerClient)) {
        throw new QuotaExceededError(
          `At most ${deps.maxConcurrentPerClient} concurrent uploads are allowed.`,
          RETRY_AFTER_MS,
        );
      }
      totalCount++;
      for (const client of clients) count(client, 1);
      return () => {
        totalCount--;
        for (const client of clients) count(client, -1);
      };
    },
    /** @throws QuotaExceededError if `sizeBytes` more would exceed the quota of one of them. */
    check: (clients: readonly string[], sizeBytes: number): Promise<void> => check(deps.db, clients, sizeBytes),
    /**
     * Counts bytes that have arrived. In a transaction, it locks rows: uploads of the same client wait for each other.
     * @throws QuotaExceededError if they exceed the quota.
     */
    async add(db: Database, clients: readonly string[], sizeBytes: number): Promise<void> {
      if (clients.length === 0 || sizeBytes === 0) return;
      const hour = new Date(Math.floor(clock.now() / HOUR_MS) * HOUR_MS);
      await db
        .insert(uploadVolumes)
        // Always in the same order, so that two transactions can't deadlock.
        .values([...clients].sort().map((client) => ({ client, hour, sizeBytes })))
        .onConflictDoUpdate({
          target: [uploadVolumes.client, uploadVolumes.hour],
          set: { sizeBytes: sql`${uploadVolumes.sizeBytes} + excluded.size_bytes` },
        });
      await check(db, clients, 0);
    },
    /** Removes counts older than 24 hours. */
    async forgetOld(): Promise<void> {
      await deps.db.delete(uploadVolumes).where(lte(uploadVolumes.hour, new Date(clock.now() - DAY_MS)));
    },
  };
}
