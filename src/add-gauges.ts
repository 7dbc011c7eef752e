import { countBlobs } from './core/storage/index.ts';
import type { Resources } from './open-resources.ts';
import type { StartedBot } from './start-bot.ts';

/** Counting scans the whole table, so the result is cached. */
const BLOB_COUNT_AGE_MS = 60_000;

/** Adds the gauges that are evaluated on request. */
export function addGauges({ telemetry, db, usage, readSpace }: Resources, bot: StartedBot, storeKind: string): void {
  telemetry.addGauge({
    name: 'switchboard_usage_rows_waiting',
    help: 'Rows of usage that are not in the database yet.',
    read: () => usage.waitingCount(),
  });
  telemetry.addGauge({
    name: 'switchboard_telegram_calls_waiting',
    help: "Calls of the bot that wait for their turn, to stay below Telegram's limits.",
    read: () => bot.client.load.waiting,
  });
  telemetry.addGauge({
    name: 'switchboard_updates_waiting',
    help: 'Updates of Telegram that were kept and are not handled, in all processes together.',
    read: () => bot.countWaitingUpdates(),
  });
  telemetry.addGauge({
    name: 'switchboard_disk_free_bytes',
    help: 'Free space of the disk of DATA_DIR; NaN where that does not exist.',
    read: () => readSpace()?.freeBytes ?? Number.NaN,
  });
  telemetry.addGauge({
    name: 'switchboard_storage_blobs',
    help: 'Pieces of files by their state in the journal: intended (on their way to the store), stored.',
    label: 'state',
    maxAgeMs: BLOB_COUNT_AGE_MS,
    read: () => countBlobs(db, storeKind),
  });
}
