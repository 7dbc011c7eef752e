import type { Registry } from 'prom-client';
import type { SpanAttributes } from '../lib/log/observer.ts';

/** Metrics of one kind of span. */
export interface Instrument {
  readonly onBegin?: () => void;
  readonly onEnd: (attributes: SpanAttributes, end: { readonly seconds: number; readonly error: unknown }) => void;
}

/** Histogram buckets in seconds: `SHORT` for machine responses, `LONG` for models. */
export const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
export const LONG = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];

export type Build = (registry: Registry, params: InstrumentParams) => Readonly<Record<string, Instrument>>;

export interface InstrumentParams {
  readonly toModelLabel: (name: unknown) => string;
}

export function toLabel(fact: SpanAttributes[string]): string {
  return String(fact ?? 'none');
}

export function toCount(value: SpanAttributes[string]): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
