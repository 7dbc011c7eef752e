import type { Config } from './config/index.ts';
import type { Clock } from './lib/clock.ts';
import { joinObservers, noObserver, type Observer } from './lib/observer.ts';
import type { GaugeSource, MetricsDeps } from './telemetry/metrics.ts';

/** What watches the process at work. */
export interface Telemetry {
  readonly observer: Observer;
  readonly clock: Clock;
  /** What `/metrics` answers, and to whom. Undefined: there is no such address. */
  readonly metrics:
    | { readonly token: string; readonly contentType: string; readonly read: () => Promise<string> }
    | undefined;
  /** Adds a number to the metrics, where there are some. */
  addGauge(gauge: GaugeSource): void;
  /** Sends the last spans. */
  close(): Promise<void>;
}

/** Metrics and traces as the settings want them. What they don't want costs nothing, not even the loading of its code. */
export async function openTelemetry(settings: Config['operations'], deps: MetricsDeps): Promise<Telemetry> {
  const { metricsToken: token, traces: tracesOptions } = settings;
  const metrics = token === undefined ? undefined : (await import('./telemetry/metrics.ts')).createMetrics(deps);
  const traces = tracesOptions && (await import('./telemetry/traces.ts')).createTraces(tracesOptions);
  const observers = [metrics?.observer, traces?.observer].filter((observer) => observer !== undefined);
  return {
    clock: deps.clock,
    observer: observers.length > 0 ? joinObservers(observers) : noObserver,
    metrics:
      token === undefined || !metrics
        ? undefined
        : { token, contentType: metrics.contentType, read: () => metrics.read() },
    addGauge: (gauge) => metrics?.addGauge(gauge),
    close: async () => traces?.close(),
  };
}
