import type { Config } from '../config/index.ts';
import {
  createUsageRecorder,
  ensureUniversalKey,
  type UniversalKey,
  UniversalKeyFileError,
  type UsageRecorder,
} from '../core/accounts/index.ts';
import type { Database, DatabaseConnection } from '../database/connect.ts';
import type { Closers } from '../lib/async/closers.ts';
import type { Clock } from '../lib/clock.ts';
import { createDiskSpaceReader, type ReadDiskSpace } from '../lib/files/disk-space.ts';
import { closeDirectory } from '../lib/files/private-directory.ts';
import { HeldBytes } from '../lib/http/held-bytes.ts';
import type { Logger } from '../lib/log/logger.ts';
import { joinObservers, type Observer } from '../lib/log/observer.ts';
import { createFailureCounts } from '../telemetry/failure-counts.ts';
import type { GaugeSource, MetricsDeps } from '../telemetry/metrics.ts';
import { observeUsage } from '../telemetry/observe-generation.ts';
import type { Exporters } from './open-exporters.ts';

/** Metrics and counts of failures of the process, and the observer that it reports to. */
type Telemetry = Awaited<ReturnType<typeof openTelemetry>>;

/** Dependencies of all services. */
export interface Foundation {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly usage: UsageRecorder;
  /** The budget of memory for requests. */
  readonly heldBytes: HeldBytes;
  /** Closes the services in reverse order of creation. */
  readonly closers: Closers;
}

export interface Resources extends Foundation, Pick<DatabaseConnection, 'urgentDb' | 'ping'> {
  readonly telemetry: Telemetry;
  /** Reads the free space of the disk of `DATA_DIR`. */
  readonly readSpace: ReadDiskSpace;
  readonly universalKey: UniversalKey;
}

interface OpenResourcesDeps extends MetricsDeps, Pick<Foundation, 'logger' | 'closers'> {
  readonly exporters: Exporters;
  /** Not closed here. */
  readonly database: DatabaseConnection;
}

/** Opens telemetry, the universal key and the usage ledger. */
export async function openResources(config: Config, deps: OpenResourcesDeps): Promise<Resources> {
  const { clock, logger, closers } = deps;
  const telemetry = await openTelemetry(config.operations, deps);
  const { observer } = telemetry;
  const { db, urgentDb, ping } = deps.database;
  const universalKey = await openUniversalKey(db, config, logger);
  const batchRows = config.database.kind === 'postgres' ? 500 : undefined;
  const usage = observeUsage(createUsageRecorder({ db, clock, logger, observer }, { batchRows }), telemetry);
  closers.add(() => usage.close());
  const readSpace = createDiskSpaceReader(config.dataDirectory);
  return {
    db,
    urgentDb,
    ping,
    clock,
    logger,
    observer,
    usage,
    closers,
    telemetry,
    readSpace,
    universalKey,
    heldBytes: new HeldBytes(),
  };
}

/**
 * Removes other users' access to `DATA_DIR`, and with it to everything in it. Logs a warning if that is not possible.
 * @throws DirectoryExposedError
 */
export async function closeDataDirectory(directory: string, logger: Logger): Promise<void> {
  const exposed = await closeDirectory(directory);
  if (!exposed) return;
  logger.warn(
    { ...exposed },
    'the permissions of DATA_DIR cannot be restricted: other users of this machine may read or change it; make the ' +
      'user of this process its owner on a file system with permissions, or set DATA_DIR to such a folder',
  );
}

/**
 * Opens the universal key. The service starts without one if its file can't be written, because all other keys work.
 */
async function openUniversalKey(db: Database, config: Config, logger: Logger): Promise<UniversalKey> {
  try {
    return await ensureUniversalKey(db, config.universalApiKey, config.universalKeyPath);
  } catch (error) {
    if (!(error instanceof UniversalKeyFileError)) throw error;
    logger.warn(
      { reason: error.message },
      'there is no universal API key: set UNIVERSAL_API_KEY, or DATA_DIR to a folder that this user can write to',
    );
    return { kind: 'unkept' };
  }
}

/** Opens metrics as configured. If they are disabled, their code is not even loaded. */
async function openTelemetry({ metricsToken: token }: Config['operations'], deps: OpenResourcesDeps) {
  const { traces, logs, exportMetrics } = deps.exporters;
  const hasMetrics = token !== undefined || exportMetrics !== undefined;
  const metrics = hasMetrics ? (await import('../telemetry/metrics.ts')).createMetrics(deps) : undefined;
  metrics?.addCounter({
    name: 'switchboard_log_lines_dropped_total',
    help: 'Lines of the log that the collector did not take, or that were too many to wait for it.',
    read: () => logs?.countDropped() ?? 0,
  });
  if (metrics) await exportMetrics?.(metrics.registry);
  const failures = createFailureCounts(() => deps.clock.now());
  const observers = [failures.observer, metrics?.observer, traces?.observer];
  return {
    clock: deps.clock,
    observer: joinObservers(observers.filter((observer) => observer !== undefined)),
    failures,
    /** Content and token of `/metrics`. Undefined: the route does not exist. */
    metrics:
      token === undefined || !metrics
        ? undefined
        : { token, contentType: metrics.contentType, read: () => metrics.read() },
    /** Adds a gauge if metrics are enabled. */
    addGauge: (gauge: GaugeSource): void => metrics?.addGauge(gauge),
  };
}
