import type { Readiness } from './http/operations/health.ts';
import { isDiskFull } from './lib/disk-space.ts';
import { isDatabaseAway } from './lib/is-database-away.ts';

/** Says whether the service can do its work now, and in fixed words why not: anybody may ask. */
export async function checkReadiness(service: {
  readonly ping: () => Promise<void>;
  /** Why updates can't be stored now; undefined where they can. */
  readonly findIntakeFailure: () => Promise<unknown>;
  /** Whether Telegram knows the bot and updates are taken in. */
  readonly isListening: () => boolean;
}): Promise<Readiness> {
  const databaseFailure = await service.ping().then(
    () => undefined,
    (error: unknown) => error ?? new Error(),
  );
  const intakeFailure = databaseFailure === undefined ? await service.findIntakeFailure() : undefined;
  const checks = {
    database: databaseFailure === undefined,
    updates: databaseFailure === undefined && intakeFailure === undefined,
    bot: service.isListening(),
  };
  const failure = databaseFailure ?? intakeFailure;
  if (failure !== undefined) return { isReady: false, checks, reason: toReason(failure) };
  return checks.bot
    ? { isReady: true, checks }
    : { isReady: false, checks, reason: 'the bot has not reached Telegram yet' };
}

function toReason(failure: unknown): string {
  if (isDiskFull(failure)) return 'the disk is full';
  return isDatabaseAway(failure) ? 'the database can not be reached' : 'the database can not be written';
}
