import { countBlobs } from '../core/storage/index.ts';
import type { StartedBot } from './bot/start-bot.ts';
import type { Resources } from './open-resources.ts';
import type { Services } from './services.ts';

/** Counting scans a whole table, so the results are cached. */
const BLOB_COUNT_AGE_MS = 60_000;
const TEXT_COUNT_AGE_MS = 10_000;
const JOB_COUNT_AGE_MS = 5000;

/** Adds the gauges that are evaluated on request. */
export function addGauges(
  { telemetry, db, usage, readSpace }: Resources,
  { library, durableJobs }: Pick<Services, 'library' | 'durableJobs'>,
  bot: StartedBot,
  storeKind: string,
): void {
  telemetry.addGauge({
    name: 'switchboard_usage_rows_waiting',
    help: 'Usage rows not yet written to the database.',
    read: () => usage.waitingCount(),
  });
  telemetry.addGauge({
    name: 'switchboard_telegram_calls_waiting',
    help: "Bot API calls waiting to stay below Telegram's rate limits.",
    read: () => bot.client.load.waiting,
  });
  telemetry.addGauge({
    name: 'switchboard_updates_waiting',
    help: 'Telegram updates stored and not yet handled, over all processes.',
    read: async () => (await bot.countWaiting()).updates,
  });
  telemetry.addGauge({
    name: 'switchboard_jobs',
    help: 'Background jobs in chats that run or wait in this process.',
    label: 'kind',
    read: () => bot.countJobs(),
  });
  telemetry.addGauge({
    name: 'switchboard_durable_jobs',
    help: 'Stored background jobs that run or wait, over all processes.',
    label: 'kind',
    maxAgeMs: JOB_COUNT_AGE_MS,
    read: () => durableJobs.count(),
  });
  telemetry.addGauge({
    name: 'switchboard_library_texts_waiting',
    help: 'Texts that the search of the library does not find yet, and stored files that are not read yet, over all processes.',
    maxAgeMs: TEXT_COUNT_AGE_MS,
    read: () => library.countWaiting(),
  });
  telemetry.addGauge({
    name: 'switchboard_disk_free_bytes',
    help: 'Free disk space of DATA_DIR in bytes; NaN if it does not exist.',
    read: () => readSpace()?.freeBytes ?? Number.NaN,
  });
  telemetry.addGauge({
    name: 'switchboard_storage_blobs',
    help: 'Blobs by their state in the journal: intended (on their way to the store) or stored.',
    label: 'state',
    maxAgeMs: BLOB_COUNT_AGE_MS,
    read: () => countBlobs(db, storeKind),
  });
}
