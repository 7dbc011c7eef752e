import { eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, memories, tasks, users } from '../../database/schema/index.ts';
import { once } from '../../lib/async/once.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Storage } from '../storage/index.ts';
import { forgetUser, isConversationOf, isMemoryOf } from './forget-user.ts';
import { type PersonalExport, readExport } from './read-export.ts';
import { sweepPersonalData } from './sweep-personal-data.ts';

export interface PersonalDataDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: Pick<Storage, 'list' | 'delete'>;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
  /** Its fields are read at each sweep. Default: no names are stored. */
  readonly rules?: { readonly storesNames?: boolean | undefined } | undefined;
}

const SWEEP_EVERY_MS = 3_600_000;
const FIRST_SWEEP_AFTER_MS = 60_000;

/** Creates personal data management. No timer runs before `start`. */
export function createPersonalData(
  deps: PersonalDataDeps,
  { retentionDays }: { readonly retentionDays?: number | undefined } = {},
) {
  const { db, clock, logger, storage } = deps;
  const closing = new AbortController();
  let cancelTimer = () => {};
  let currentSweep: Promise<unknown> = Promise.resolve();
  /**
   * Deletes messages older than the retention, group messages older than a day, expired API answers, and rows of users deleted a day ago.
   * Runs every hour after `start`; tests call it directly.
   */
  const sweep = (signal: AbortSignal): Promise<void> =>
    sweepPersonalData({ db, clock }, { retentionDays, storesNames: deps.rules?.storesNames ?? false }, signal);
  const schedule = (delayMs: number) => {
    if (closing.signal.aborted) return;
    cancelTimer = clock.setTimer(delayMs, () => {
      currentSweep = sweep(closing.signal)
        .catch((error: unknown) => {
          if (!closing.signal.aborted) logger.error({ reason: describeError(error) }, 'old data could not be removed');
        })
        .finally(() => schedule(SWEEP_EVERY_MS));
    });
  };

  return {
    /** Retention of messages in days; undefined: unlimited. */
    retentionDays,
    /** Counts the user's conversations, files, tasks, and memories, including those that they wrote in groups. */
    async countData(userId: number): Promise<{
      readonly conversations: number;
      readonly files: number;
      readonly memories: number;
      readonly tasks: number;
    }> {
      const isOwn = isConversationOf(userId, await findTelegramId(db, userId));
      return {
        conversations: await db.$count(conversations, isOwn),
        files: (await storage.list(userId, { offset: 0, limit: 0 })).totalCount,
        memories: await db.$count(memories, isMemoryOf(userId)),
        tasks: await db.$count(tasks, eq(tasks.userId, userId)),
      };
    },
    /**
     * Exports all stored data of a user except the bytes of files and of stored API answers; the newest part, if it exceeds the limits of an
     * export.
     */
    async export(userId: number): Promise<PersonalExport> {
      await deps.recorder.flush();
      return readExport(db, userId, await findTelegramId(db, userId));
    },
    /**
     * Deletes a user's data: files first, then everything that `forgetUser` lists. In groups, the user's messages and the
     * answers to them are emptied. The bytes of files are removed soon afterwards, and the user row a day later, so that a
     * deletion does not reset the quota of the day. Bans and the audit log are kept. After a failure it can be called
     * again.
     */
    async forget(userId: number): Promise<void> {
      await removeFiles(storage, userId);
      await deps.recorder.flush();
      await forgetUser(db, { userId, telegramId: await findTelegramId(db, userId), now: new Date(clock.now()) });
      // Those whose upload has ended meanwhile.
      await removeFiles(storage, userId);
      logger.info({ userId }, 'data of a user removed at their request');
    },
    sweep,
    /** Starts the hourly sweep. */
    start: (): void => schedule(FIRST_SWEEP_AFTER_MS),
    close: once(async () => {
      cancelTimer();
      closing.abort(new Error('The service is ending'));
      await currentSweep;
    }),
  };
}

/** Returns the Telegram id of a user; undefined for users without a Telegram account. */
async function findTelegramId(db: Database, userId: number): Promise<number | undefined> {
  const [row] = await db.select({ telegramId: users.telegramId }).from(users).where(eq(users.id, userId));
  return row?.telegramId ?? undefined;
}

const FILES_PER_PAGE = 100;

async function removeFiles(storage: PersonalDataDeps['storage'], userId: number): Promise<void> {
  for (;;) {
    const { files } = await storage.list(userId, { offset: 0, limit: FILES_PER_PAGE });
    if (files.length === 0) return;
    for (const file of files) {
      const outcome = await storage.delete(file.id, { userId });
      if (outcome === 'forbidden') throw new Error('A file of the user could not be deleted as its owner');
    }
  }
}
