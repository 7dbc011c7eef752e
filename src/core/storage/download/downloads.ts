import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { downloads, files } from '../../../database/schema/index.ts';
import { LeaseRenewal } from '../../../lib/async/lease-renewal.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { createId } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { Background } from '../background.ts';
import { isReady } from '../file-rows.ts';
import { type Download, UNLIMITED_DOWNLOAD } from '../storage.ts';

/** The downloads of a process that died are free again after this time. */
const LEASE_MS = 20_000;
const MAX_DOWNLOAD_MS = 7 * 24 * 3_600_000;

interface DownloadsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes the ends of downloads, which the database must see before it is closed. */
  readonly background: Background;
}

/**
 * Running downloads of files with a limit. Each holds one of the remaining downloads by a row with a lease, and only
 * its end counts, so a download that a crash breaks off is not used up. Exact over all processes: a file is locked before
 * its rows are changed.
 */
export class Downloads {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #background: Background;
  readonly #renewal: LeaseRenewal;

  constructor(deps: DownloadsDeps) {
    this.#background = deps.background;
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#renewal = new LeaseRenewal(deps.clock, {
      everyMs: LEASE_MS / 4,
      maxDurationMs: MAX_DOWNLOAD_MS,
      renew: (ids) => void this.#renew(ids),
    });
  }

  /** Holds one of the remaining downloads of a file. @returns as `Storage.beginDownload`. */
  async begin(fileId: string): Promise<Download | 'busy' | undefined> {
    const id = createId();
    const now = this.#clock.now();
    const outcome = await this.#db.transaction(async (tx) => {
      const isAvailable = and(eq(files.id, fileId), isReady(now));
      const [file] = await tx.select({ left: files.downloadsLeft }).from(files).where(isAvailable).for('update');
      if (!file || file.left === 0) return undefined;
      if (file.left === null) return 'unlimited';
      const ofFile = eq(downloads.fileId, fileId);
      await tx.delete(downloads).where(and(ofFile, lte(downloads.leaseUntil, new Date(now))));
      if ((await tx.$count(downloads, ofFile)) >= file.left) return 'busy';
      await tx.insert(downloads).values({ id, fileId, leaseUntil: this.#leaseEnd() });
      return 'begun';
    });
    if (outcome === 'unlimited') return UNLIMITED_DOWNLOAD;
    return outcome === 'begun' ? this.#toDownload(id, fileId) : outcome;
  }

  /** Frees the downloads of all processes. For the only process of a database, after its start. Never throws. */
  async freeAll(): Promise<void> {
    await this.#db.delete(downloads).catch(this.#warn('downloads cut off by the last end are free again later'));
  }

  /** Stops renewing leases. */
  close(): void {
    this.#renewal.close();
  }

  #toDownload(id: string, fileId: string): Download {
    this.#renewal.add(id);
    let completing: Promise<boolean> | undefined;
    return {
      complete: () => {
        completing ??= this.#background.run(this.#complete(id, fileId).finally(() => this.#renewal.remove(id)));
        return completing;
      },
      release: async () => {
        this.#renewal.remove(id);
        const own = this.#db.delete(downloads).where(eq(downloads.id, id));
        await this.#background.run(own.catch(this.#warn('a download that was broken off is free again later')));
      },
    };
  }

  async #complete(id: string, fileId: string): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const [file] = await tx.select({ id: files.id }).from(files).where(eq(files.id, fileId)).for('update');
      const [own] = await tx.delete(downloads).where(eq(downloads.id, id)).returning({ id: downloads.id });
      if (!file || !own) return false;
      const isLast = sql`${files.downloadsLeft} = 1`;
      const now = new Date(this.#clock.now()).toISOString();
      await tx
        .update(files)
        .set({
          downloadsLeft: sql`${files.downloadsLeft} - 1`,
          // The sweeper removes expired files.
          expiresAt: sql`case when ${isLast} then ${now}::timestamptz else ${files.expiresAt} end`,
        })
        .where(and(eq(files.id, fileId), gt(files.downloadsLeft, 0)));
      return true;
    });
  }

  #leaseEnd(): Date {
    return new Date(this.#clock.now() + LEASE_MS);
  }

  async #renew(ids: readonly string[]): Promise<void> {
    await this.#db
      .update(downloads)
      .set({ leaseUntil: this.#leaseEnd() })
      .where(inArray(downloads.id, [...ids]))
      .catch(this.#warn('the leases of downloads could not be renewed'));
  }

  #warn(message: string) {
    return (error: unknown) => this.#logger.warn({ reason: describeError(error) }, message);
  }
}
