import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import { createObserver, type Observer } from '../lib/observer.ts';
import { createInstruments } from './instruments.ts';
import { createModelLabels } from './model-labels.ts';

/** Everything that Prometheus gets to see of one process. */
export interface Metrics {
  /** Counts the work it is told of. */
  readonly observer: Observer;
  /** Prometheus's text format. */
  readonly contentType: string;
  /** All metrics as they are now. */
  read(): Promise<string>;
  /**
   * Adds a number that is asked for with every `read`. What throws or takes longer than 2 s is left out of that answer.
   * @param label with it the values have a label of this name, by whose values they are keyed.
   */
  addGauge(gauge: GaugeSource): void;
}

export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** An answer is used again for so long. Default 0. */
  readonly maxAgeMs?: number;
  readonly read: () => Promise<GaugeValue> | GaugeValue;
}

type GaugeValue = number | Readonly<Record<string, number>>;

export interface MetricsDeps {
  readonly clock: Clock;
  /** Whether a public model name stands in the catalogue; others get no label of their own. */
  readonly isListedModel: (name: string) => boolean;
}

const GAUGE_PATIENCE_MS = 2000;

/** Metrics of this process and of the work that its observer sees. Model names become labels only where the catalogue has them. */
export function createMetrics({ clock, isListedModel }: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry, { toModelLabel: createModelLabels(isListedModel) });
  const observer = createObserver<number>({
    isFlat: true,
    onTell: (name, facts) => instruments[name]?.onEnd(facts, { seconds: 0, error: undefined }),
    onBegin(name) {
      instruments[name]?.onBegin?.();
      return clock.now();
    },
    onEnd: (startedAt, name, facts, error) =>
      instruments[name]?.onEnd(facts, { seconds: toSeconds(clock.now() - startedAt), error }),
  });
  return {
    observer,
    contentType: registry.contentType,
    read: () => registry.metrics(),
    addGauge: (source) => addGauge(registry, source, clock),
  };
}

/** A clock that is set back makes no negative durations. */
function toSeconds(ms: number): number {
  return Math.max(0, ms) / 1000;
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
      // Better no number than an old one.
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
