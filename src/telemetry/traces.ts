import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ProviderRejectedError, ProviderUnavailableError } from '../core/models/index.ts';
import { createObserver, type SpanAttributes } from '../lib/log/observer.ts';
import { closeInTime, type ExportParams, SERVICE, toExporterOptions, watchOutages } from './otlp.ts';

/** Attributes of OpenTelemetry's conventions by the names that the router uses. */
const NAMES: Readonly<Record<string, string>> = {
  model: 'gen_ai.request.model',
  isStreamed: 'gen_ai.request.stream',
  maxOutputTokens: 'gen_ai.request.max_tokens',
  choiceCount: 'gen_ai.request.choice.count',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  seed: 'gen_ai.request.seed',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunkSeconds: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  audioInputTokens: 'gen_ai.usage.audio.input_tokens',
  audioOutputTokens: 'gen_ai.usage.audio.output_tokens',
  imageInputTokens: 'gen_ai.usage.image.input_tokens',
};

/** Names of the conventions for operations; those of other kinds are the same. */
const OPERATIONS: Readonly<Record<string, string>> = {
  completion: 'text_completion',
  embedding: 'embeddings',
  image: 'generate_content',
  speech: 'generate_content',
  transcription: 'generate_content',
};

const OUTPUT_TYPES: Readonly<Record<string, string>> = { image: 'image', speech: 'speech', transcription: 'text' };

/** Names of the conventions for providers, by those of the presets; the others are the same. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

/** Exporter of spans to a collector. */
export type Traces = ReturnType<typeof createTraces>;

const SEND_EVERY_MS = 2000;
/** Maximum number of spans waiting for export; more are dropped. */
const MAX_WAITING = 4096;
/** Longer values, such as ids from providers, are cut. */
const MAX_ATTRIBUTE_CHARACTERS = 500;

/**
 * Creates an exporter that sends spans in batches in the background. If the collector is unreachable, only spans are
 * lost.
 */
export function createTraces({ collector, resource, onTurn }: ExportParams) {
  const exporter = watchOutages(new OTLPTraceExporter(toExporterOptions(collector)), 'traces', onTurn);
  const provider = new TracerProvider({
    resource,
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
    /** Returns the span of the current asynchronous context, if there is one. */
    readSpan: (): SpanContext | undefined => observer.readCurrent()?.spanContext(),
    /** Exports the remaining spans, for 3 s at most. */
    close: () => closeInTime(() => provider.shutdown()),
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

/**
 * Returns the attributes of a provider attempt under OpenTelemetry's conventions for generative AI, and the others under
 * their own names with a prefix.
 */
function toGenAiAttributes(attributes: SpanAttributes, prefix: string): SpanAttributes {
  const { kind, provider } = attributes;
  const renamed = Object.entries(attributes).map(([name, value]) => [NAMES[name] ?? `${prefix}${name}`, value]);
  return {
    ...Object.fromEntries(renamed),
    'gen_ai.operation.name': toOperation(attributes),
    'gen_ai.provider.name': PROVIDERS[String(provider)] ?? provider,
    'gen_ai.output.type': OUTPUT_TYPES[String(kind)],
  };
}

/** Returns the span's name: `chat gpt-5-mini`. */
function toGenAiSpanName(attributes: SpanAttributes): string {
  return `${toOperation(attributes)} ${attributes['model']}`;
}

function toOperation({ operation, kind }: SpanAttributes): string {
  return String(operation ?? OPERATIONS[String(kind)] ?? kind);
}
