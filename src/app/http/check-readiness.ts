import type { BlobStore } from '../../core/storage/index.ts';
import type { Readiness } from '../../http/operations/health.ts';
import { isDatabaseAway } from '../../lib/errors/is-database-away.ts';
import { isDiskFull } from '../../lib/files/disk-space.ts';
import type { StartedBot } from '../bot/start-bot.ts';
import type { Resources } from '../open-resources.ts';

/**
 * Checks readiness. The reason is a fixed text, because the result is public.
 * @param bot undefined before it was started.
 */
export async function checkReadiness(
  { ping }: Pick<Resources, 'ping'>,
  bot: Pick<StartedBot, 'findIntakeFailure' | 'isListening'> | undefined,
  store: Pick<BlobStore, 'findOutage'>,
): Promise<Readiness> {
  const finding = store.findOutage?.();
  const databaseFailure = await ping().then(
    () => undefined,
    (error: unknown) => error ?? new Error(),
  );
  const intakeFailure = databaseFailure === undefined ? await bot?.findIntakeFailure() : undefined;
  const checks = {
    database: databaseFailure === undefined,
    updates: databaseFailure === undefined && intakeFailure === undefined,
    bot: bot?.isListening() ?? false,
    ...(finding && { storage: (await finding) === undefined }),
  };
  const failure = databaseFailure ?? intakeFailure;
  if (failure !== undefined) return { isReady: false, checks, reason: toReason(failure) };
  if (!checks.bot) return { isReady: false, checks, reason: 'the bot has not reached Telegram yet' };
  if (checks.storage === false) return { isReady: false, checks, reason: 'the storage takes no files' };
  return { isReady: true, checks };
}

function toReason(failure: unknown): string {
  if (isDiskFull(failure)) return 'the disk is full';
  return isDatabaseAway(failure) ? 'the database cannot be reached' : 'the database cannot be written';
}
