import { count, eq, or } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { threads, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { once } from '../../lib/once.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Storage } from '../storage/index.ts';
import { forgetUser } from './forget-person.ts';
import { type PersonalExport, readExport } from './read-export.ts';
import { sweepPersonalData } from './sweep-personal-data.ts';

/** What is kept of people: theirs to have and to remove. */
export interface PersonalData {
  /** Days after which messages of conversations are removed; undefined: never. */
  readonly retentionDays: number | undefined;
  /** How much there is that would go with `forget`. */
  look(userId: number): Promise<{ readonly conversations: number; readonly files: number }>;
  /** Everything that is kept of a person but the bytes of files, as far as it fits into memory: the newest. */
  export(userId: number): Promise<PersonalExport>;
  /**
   * Removes what is kept of a person: conversations, pictures, files, keys, usage, opinions, choices. The bytes of files go soon after,
   * the person's number a day later, when it has no limits to hold up any more. Bans and what admins have done stay.
   * What fails in between is finished by calling it again.
   */
  forget(userId: number): Promise<void>;
  /** Removes messages that are too old and numbers of people who were forgotten. For tests; it runs by itself while started. */
  sweep(signal: AbortSignal): Promise<void>;
  /** Sweeps every hour. */
  start(): void;
  close(): Promise<void>;
}

export interface PersonalDataDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: Pick<Storage, 'list' | 'delete'>;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}

const SWEEP_EVERY_MS = 3_600_000;
const FIRST_SWEEP_AFTER_MS = 60_000;

/** Personal data in the database and the storage. Nothing runs by itself before `start`. */
export function createPersonalData(
  deps: PersonalDataDeps,
  { retentionDays }: { readonly retentionDays?: number | undefined } = {},
): PersonalData {
  const { db, clock, logger, storage } = deps;
  const closing = new AbortController();
  let cancel = () => {};
  let running: Promise<unknown> = Promise.resolve();
  const sweep = (signal: AbortSignal) => sweepPersonalData({ db, clock }, { retentionDays }, signal);
  const schedule = (delayMs: number) => {
    if (closing.signal.aborted) return;
    cancel = clock.setTimer(delayMs, () => {
      running = sweep(closing.signal)
        .catch((error: unknown) => {
          if (!closing.signal.aborted) logger.error({ reason: describeError(error) }, 'old data could not be removed');
        })
        .finally(() => schedule(SWEEP_EVERY_MS));
    });
  };

  return {
    retentionDays,
    async look(userId) {
      const isTheirs = or(eq(threads.userId, userId), eq(threads.chatId, await findTelegramId(db, userId)));
      const [row] = await db.select({ count: count() }).from(threads).where(isTheirs);
      const { totalCount } = await storage.list(userId, { offset: 0, limit: 0 });
      return { conversations: row?.count ?? 0, files: totalCount };
    },
    async export(userId) {
      await deps.recorder.flush();
      return readExport(db, userId, await findTelegramId(db, userId));
    },
    async forget(userId) {
      await removeFiles(storage, userId);
      await deps.recorder.flush();
      await forgetUser(db, { userId, telegramId: await findTelegramId(db, userId), now: new Date(clock.now()) });
      logger.info({ userId }, 'the data of a person was removed at their wish');
    },
    sweep,
    start: () => schedule(FIRST_SWEEP_AFTER_MS),
    close: once(async () => {
      cancel();
      closing.abort(new Error('The service is ending'));
      await running;
    }),
  };
}

/** 0 is nobody's: whoever only has an API key writes in no chat. */
async function findTelegramId(db: Database, userId: number): Promise<number> {
  const [row] = await db.select({ telegramId: users.telegramId }).from(users).where(eq(users.id, userId));
  return row?.telegramId ?? 0;
}

const FILES_AT_ONCE = 100;

async function removeFiles(storage: PersonalDataDeps['storage'], userId: number): Promise<void> {
  for (;;) {
    const { files } = await storage.list(userId, { offset: 0, limit: FILES_AT_ONCE });
    if (files.length === 0) return;
    for (const file of files) {
      const outcome = await storage.delete(file.id, { userId });
      if (outcome === 'forbidden') throw new Error('A file of the person is not theirs to delete');
    }
  }
}
