import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ProviderRejectedError, ProviderUnavailableError } from '../core/models/index.ts';
import { createObserver, type SpanAttributes } from '../lib/observer.ts';
import { toGenAiAttributes, toGenAiSpanName } from './gen-ai-attributes.ts';

export interface TracesOptions {
  /** Base URL of a collector for OTLP over HTTP, without a trailing slash: `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** Sent with every batch, for authentication. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Exporter of spans to a collector. */
export type Traces = ReturnType<typeof createTraces>;

const SERVICE = 'switchboard';
const SEND_EVERY_MS = 2000;
const SEND_TIMEOUT_MS = 10_000;
const LAST_SEND_MS = 3000;
/** Maximum number of spans waiting for export; more are dropped. */
const MAX_WAITING = 4096;
/** Longer values, such as ids from providers, are cut. */
const MAX_ATTRIBUTE_CHARACTERS = 500;

/**
 * Creates an exporter that sends spans in batches in the background. If the collector is unreachable, only spans are
 * lost.
 */
export function createTraces({ endpoint, headers }: TracesOptions) {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS, maxQueueSize: MAX_WAITING }),
    ],
  });
  const tracer = provider.getTracer(SERVICE);
  /** Observer that creates the spans. */
  const observer = createObserver<Span>({
    onBegin(name, attributes, parent) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
      return tracer.startSpan(
        name === PROVIDER_ATTEMPT ? toGenAiSpanName(attributes) : name,
        { kind: KINDS[name] ?? SpanKind.INTERNAL, attributes: toAttributes(name, attributes) },
        context,
      );
    },
    onEnd(span, name, attributes, error) {
      span.setAttributes(toAttributes(name, attributes));
      if (error !== undefined) {
        span.setAttribute('error.type', toErrorType(error));
        span.setStatus({ code: SpanStatusCode.ERROR, message: toErrorName(error) });
      }
      span.end();
    },
  });
  return {
    observer,
    /** Exports the remaining spans, for 3 s at most. */
    async close(): Promise<void> {
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, LAST_SEND_MS);
      await Promise.race([provider.shutdown().catch(() => {}), patience.promise]);
      clearTimeout(timer);
    },
  };
}

const PROVIDER_ATTEMPT = 'provider attempt';

const KINDS: Readonly<Record<string, SpanKind>> = {
  'http request': SpanKind.SERVER,
  [PROVIDER_ATTEMPT]: SpanKind.CLIENT,
  'telegram call': SpanKind.CLIENT,
  'database batch': SpanKind.CLIENT,
};

function toAttributes(spanName: string, attributes: SpanAttributes): Attributes {
  const prefix = `${SERVICE}.`;
  const named =
    spanName === PROVIDER_ATTEMPT
      ? toGenAiAttributes(attributes, prefix)
      : Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${prefix}${name}`, value]));
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? [...value] : value]],
    ),
  );
}

/** Returns the provider's HTTP status, else the error's name. */
function toErrorType(error: unknown): string {
  const hasStatus = error instanceof ProviderUnavailableError || error instanceof ProviderRejectedError;
  return hasStatus && error.status !== undefined ? String(error.status) : toErrorName(error);
}

/** Returns only the error's name, because its message may contain users' messages. */
function toErrorName(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
