import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createObserver, type Facts, type Observer } from '../lib/observer.ts';

export interface TracesOptions {
  /** Base address of a collector that speaks OTLP over HTTP, without a slash at its end: `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** Sent along with every batch of spans: what lets us in. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Spans on their way to a collector. */
export interface Traces {
  /** Makes a span of each piece of work that it sees. */
  readonly observer: Observer;
  /** Sends what is left, for 3 s at most. */
  close(): Promise<void>;
}

const SERVICE = 'switchboard';
const SEND_EVERY_MS = 2000;
const SEND_TIMEOUT_MS = 10_000;
const LAST_SEND_MS = 3000;
/** Spans that wait to be sent; more are dropped. */
const MAX_WAITING = 4096;

/** Sends a span for each piece of work to a collector, in batches, off the way of the work. A collector that is away costs spans only. */
export function createTraces({ endpoint, headers }: TracesOptions): Traces {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS, maxQueueSize: MAX_WAITING }),
    ],
  });
  const tracer = provider.getTracer(SERVICE);
  const observer = createObserver<Span>({
    onBegin(name, facts, parent) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
      return tracer.startSpan(
        name,
        { kind: KINDS[name] ?? SpanKind.INTERNAL, attributes: toAttributes(facts) },
        context,
      );
    },
    onEnd(span, _name, facts, error) {
      span.setAttributes(toAttributes(facts));
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: toErrorName(error) });
      span.end();
    },
  });
  return {
    observer,
    async close() {
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, LAST_SEND_MS);
      await Promise.race([provider.shutdown().catch(() => {}), patience.promise]);
      clearTimeout(timer);
    },
  };
}

const KINDS: Readonly<Record<string, SpanKind>> = {
  'http request': SpanKind.SERVER,
  'provider attempt': SpanKind.CLIENT,
  'telegram call': SpanKind.CLIENT,
  'database batch': SpanKind.CLIENT,
};

function toAttributes(facts: Facts): Attributes {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[`${SERVICE}.${name}`, value]])),
  );
}

/** The message of an error may hold what somebody wrote. */
function toErrorName(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
