import { randomUUID } from 'node:crypto';
import type { HrTime } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { endsWithin, systemClock } from '../lib/clock.ts';

/** Name of the service and of the scope of everything that it exports. */
export const SERVICE = 'switchboard';

/** Collector of one signal, by OTLP over HTTP. */
export interface Collector {
  /** Address of the signal: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Sent with every batch, for authentication. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Signal = 'traces' | 'metrics' | 'logs';

/** What exporters of all signals have in common. */
export interface ExportParams {
  readonly collector: Collector;
  /** The process, as its collector knows it. */
  readonly resource: Resource;
  /** Called when a collector takes no more batches, and when it takes them again. */
  readonly onTurn: (turn: Turn) => void;
}

export interface Turn {
  readonly signal: Signal;
  /** Why a batch was not taken. Undefined: batches are taken again. */
  readonly reason: string | undefined;
}

interface Exporter<Batch> {
  export(batch: Batch, onResult: (result: ExportResult) => void): void;
}

interface ExportResult {
  /** 0: taken. */
  readonly code: number;
  readonly error?: Error;
}

const SEND_TIMEOUT_MS = 10_000;
const LAST_SEND_MS = 3000;

/** Returns the options of an exporter. */
export function toExporterOptions({ url, headers }: Collector) {
  return { url, headers: { ...headers }, timeoutMillis: SEND_TIMEOUT_MS };
}

/** Describes this process. Its id keeps the counters of several processes apart. */
export function describeProcess(version: string): Resource {
  return resourceFromAttributes({
    'service.name': SERVICE,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
}

/** Reports the first batch of an outage, and the first one after it, and returns the same exporter. */
export function watchOutages<Batch, Kind extends Exporter<Batch>>(
  exporter: Kind & Exporter<Batch>,
  signal: Signal,
  onTurn: ExportParams['onTurn'],
): Kind {
  const send = exporter.export.bind(exporter);
  let isOut = false;
  exporter.export = (batch, onResult) =>
    send(batch, (result) => {
      const hasFailed = result.code !== 0;
      if (hasFailed !== isOut) onTurn({ signal, reason: hasFailed ? toReason(result.error) : undefined });
      isOut = hasFailed;
      onResult(result);
    });
  return exporter;
}

/** Returns the error's message, or its code: connections to several addresses fail without a message. */
function toReason(error: (Error & { readonly code?: unknown }) | undefined): string {
  return error?.message || String(error?.code ?? 'no answer');
}

/** Exports what is left, for 3 s at most. */
export async function closeInTime(close: () => Promise<unknown>): Promise<void> {
  const closed = close().catch(() => {});
  await endsWithin(systemClock, closed, LAST_SEND_MS);
}

/** Converts milliseconds since 1970 to seconds and nanoseconds. */
export function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
