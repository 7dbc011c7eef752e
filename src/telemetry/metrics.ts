import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import { createObserver } from '../lib/log/observer.ts';
import { createInstruments } from './instruments.ts';

/** Maximum number of labels per process: each adds dozens of time series. */
const MAX_LABELS = 100;

const OTHER = 'other';

/** Prometheus metrics of one process. */
export type Metrics = ReturnType<typeof createMetrics>;

export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** Time in milliseconds for which a value is cached. Default 0. */
  readonly maxAgeMs?: number;
  readonly read: () => Promise<GaugeValue> | GaugeValue;
}

export interface CounterSource {
  /** Ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

type GaugeValue = number | Readonly<Record<string, number>>;

export interface MetricsDeps {
  readonly clock: Clock;
  /** Returns true if the catalogue contains a public model name; other names get no label of their own. */
  readonly isListedModel: (name: string) => boolean;
}

const GAUGE_PATIENCE_MS = 2000;

/**
 * Creates the metrics of this process and of the spans seen by its observer. Only model names in the catalogue become
 * labels.
 */
export function createMetrics({ clock, isListedModel }: MetricsDeps) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry, { toModelLabel: createModelLabels(isListedModel) });
  /** Observer that updates the metrics. */
  const observer = createObserver<number>({
    isFlat: true,
    onEvent: (name, attributes) => instruments[name]?.onEnd(attributes, { seconds: 0, error: undefined }),
    onBegin(name) {
      instruments[name]?.onBegin?.();
      return clock.now();
    },
    onEnd: (startedAt, name, attributes, error) =>
      instruments[name]?.onEnd(attributes, { seconds: toSeconds(clock.now() - startedAt), error }),
  });
  return {
    observer,
    registry,
    /** Content type of Prometheus's text format. */
    contentType: registry.contentType,
    /** Returns the current values of all metrics. */
    read: (): Promise<string> => registry.metrics(),
    /**
     * Adds a gauge that is evaluated at each `read`. If it throws or takes longer than 2 s, it is omitted from that
     * response.
     * @param gauge with `label`, `read` returns values keyed by the value of this label.
     */
    addGauge: (source: GaugeSource): void => addGauge(registry, source, clock),
    /** Adds a counter whose value is kept elsewhere. */
    addCounter: (source: CounterSource): void => addCounter(registry, source),
  };
}

/** Converts to seconds. Never negative, even if the clock is set back. */
function toSeconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}

function addCounter(registry: Registry, { name, help, read }: CounterSource): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(read());
    },
  });
}

function addGauge(registry: Registry, { name, help, label, maxAgeMs = 0, read }: GaugeSource, clock: Clock): void {
  let last: { readonly value: GaugeValue; readonly readAt: number } | undefined;
  const readAgain = async () => {
    if (last && clock.now() - last.readAt < maxAgeMs) return last.value;
    last = { readAt: clock.now(), value: await read() };
    return last.value;
  };
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      gauge.reset();
      const value = await withPatience(clock, readAgain).catch(() => undefined);
      // No value is better than an outdated one.
      if (value === undefined) gauge.remove();
      else if (typeof value === 'number') gauge.set(value);
      else for (const [key, count] of Object.entries(value)) gauge.set({ [label ?? 'of']: key }, count);
    },
  });
}

function withPatience<Value>(clock: Clock, read: () => Promise<Value> | Value): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const cancel = clock.setTimer(GAUGE_PATIENCE_MS, () => reject(new Error('no number in time')));
  return Promise.race([Promise.try(read), tooLate]).finally(cancel);
}

/**
 * Returns a function from model names to labels: the public name if it is in the catalogue and among the first hundred
 * used, else `other`. Names invented by clients never become time series.
 */
export function createModelLabels(isListed: (name: string) => boolean): (name: unknown) => string {
  const used = new Set<string>();
  return (name) => {
    if (typeof name !== 'string') return OTHER;
    if (used.has(name)) return name;
    if (used.size >= MAX_LABELS || !isListed(name)) return OTHER;
    used.add(name);
    return name;
  };
}
