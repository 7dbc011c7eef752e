import type { Config } from '../config/index.ts';
import { joinObservers } from '../lib/log/observer.ts';
import { createFailureCounts } from '../telemetry/failure-counts.ts';
import type { GaugeSource, MetricsDeps } from '../telemetry/metrics.ts';

/** Metrics, traces and counts of failures of the process. */
export type Telemetry = Awaited<ReturnType<typeof openTelemetry>>;

/** Opens metrics and traces as configured. The code of disabled ones is not even loaded. */
export async function openTelemetry(settings: Config['operations'], deps: MetricsDeps) {
  const { metricsToken: token, traces: tracesOptions } = settings;
  const metrics = token === undefined ? undefined : (await import('../telemetry/metrics.ts')).createMetrics(deps);
  const traces = tracesOptions && (await import('../telemetry/traces.ts')).createTraces(tracesOptions);
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
    /** Exports the remaining spans. */
    close: async (): Promise<void> => traces?.close(),
  };
}
