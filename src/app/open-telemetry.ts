import type { Config } from '../config/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { FailureCounts } from '../lib/failure-count.ts';
import { joinObservers, type Observer } from '../lib/observer.ts';
import { createFailureCounts } from '../telemetry/failure-counts.ts';
import type { GaugeSource, MetricsDeps } from '../telemetry/metrics.ts';

/** Metrics, traces and counts of failures of the process. */
export interface Telemetry {
  readonly observer: Observer;
  readonly clock: Clock;
  /** Content and token of `/metrics`. Undefined: the route does not exist. */
  readonly metrics:
    | { readonly token: string; readonly contentType: string; readonly read: () => Promise<string> }
    | undefined;
  readonly failures: FailureCounts;
  /** Adds a gauge if metrics are enabled. */
  addGauge(gauge: GaugeSource): void;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/** Opens metrics and traces as configured. The code of disabled ones is not even loaded. */
export async function openTelemetry(settings: Config['operations'], deps: MetricsDeps): Promise<Telemetry> {
  const { metricsToken: token, traces: tracesOptions } = settings;
  const metrics = token === undefined ? undefined : (await import('../telemetry/metrics.ts')).createMetrics(deps);
  const traces = tracesOptions && (await import('../telemetry/traces.ts')).createTraces(tracesOptions);
  const failures = createFailureCounts(() => deps.clock.now());
  const observers = [failures.observer, metrics?.observer, traces?.observer];
  return {
    clock: deps.clock,
    observer: joinObservers(observers.filter((observer) => observer !== undefined)),
    failures,
    metrics:
      token === undefined || !metrics
        ? undefined
        : { token, contentType: metrics.contentType, read: () => metrics.read() },
    addGauge: (gauge) => metrics?.addGauge(gauge),
    close: async () => traces?.close(),
  };
}
