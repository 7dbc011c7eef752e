import type { Registry } from 'prom-client';
import type { Config } from '../config/index.ts';
import type { LogExport } from '../telemetry/export-logs.ts';
import type { Turn } from '../telemetry/otlp.ts';
import type { Traces } from '../telemetry/traces.ts';
import { readVersion } from './read-version.ts';

/** Exporters of telemetry to collectors. */
export interface Exporters {
  readonly traces: Traces | undefined;
  readonly logs: LogExport | undefined;
  /** Exports the metrics of a registry from now on. Undefined: they are not exported. */
  readonly exportMetrics: ((registry: Registry) => Promise<void>) | undefined;
  /** Exports what is left, for 3 s at most. */
  close(): Promise<void>;
}

/**
 * Opens the exporters that the settings ask for. The code of the others is not even loaded.
 * @param onTurn called when a collector takes no more batches, and when it takes them again.
 */
export async function openExporters(
  { traces: ofTraces, metrics: ofMetrics, logs: ofLogs }: Config['operations'],
  onTurn: (turn: Turn) => void,
): Promise<Exporters> {
  if (!ofTraces && !ofMetrics && !ofLogs) return NONE;
  const { describeProcess } = await import('../telemetry/otlp.ts');
  const common = { resource: describeProcess(await readVersion()), onTurn };
  const traces = ofTraces && (await import('../telemetry/traces.ts')).createTraces({ ...common, collector: ofTraces });
  const logs =
    ofLogs &&
    (await import('../telemetry/export-logs.ts')).createLogExport({
      ...common,
      collector: ofLogs,
      readSpan: () => traces?.readSpan(),
    });
  let closeMetrics: (() => Promise<void>) | undefined;
  return {
    traces,
    logs,
    exportMetrics:
      ofMetrics &&
      (async (registry) => {
        const { startMetricExport } = await import('../telemetry/export-metrics.ts');
        const { intervalMs, ...collector } = ofMetrics;
        // The registry of an app that has stopped.
        await closeMetrics?.();
        closeMetrics = startMetricExport({ ...common, collector, registry, intervalMs }).close;
      }),
    async close() {
      await Promise.all([traces?.close(), logs?.close(), closeMetrics?.()]);
    },
  };
}

const NONE: Exporters = { traces: undefined, logs: undefined, exportMetrics: undefined, close: async () => {} };
