import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { SpanAttributes } from '../lib/observer.ts';
import { toGenerationOutcome, toTelegramOutcome } from './outcomes.ts';

/** Metrics of one kind of span. */
export interface Instrument {
  readonly onBegin?: () => void;
  readonly onEnd: (attributes: SpanAttributes, end: { readonly seconds: number; readonly error: unknown }) => void;
}

/** Histogram buckets in seconds: `SHORT` for machine responses, `LONG` for models. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LONG = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];

type Build = (registry: Registry, options: InstrumentOptions) => Readonly<Record<string, Instrument>>;

export interface InstrumentOptions {
  readonly toModelLabel: (name: unknown) => string;
}

/** Creates the instruments by the name of the span. Spans without one are not counted. */
export const createInstruments: Build = (registry, options) => ({
  ...createHttpInstruments(registry, options),
  ...createGenerationInstruments(registry, options),
  ...createTelegramInstruments(registry, options),
  ...createStorageInstruments(registry, options),
});

const createHttpInstruments: Build = (registry) => {
  const registers = [registry];
  const open = new Gauge({
    name: 'switchboard_http_requests_open',
    help: 'HTTP requests in flight.',
    registers,
  });
  const duration = new Histogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'Duration of HTTP requests from the first byte to the last byte of the response, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: LONG_AND_SHORT,
    registers,
  });
  return {
    'http request': {
      onBegin: () => open.inc(),
      onEnd(attributes, { seconds }) {
        open.dec();
        const { method, route, status } = attributes;
        duration.observe({ method: toLabel(method), route: toLabel(route), status: toLabel(status) }, seconds);
      },
    },
  };
};

const LONG_AND_SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

const createGenerationInstruments: Build = (registry, { toModelLabel }) => {
  const registers = [registry];
  const labelNames = ['kind', 'provider', 'model'];
  const duration = new Histogram({
    name: 'switchboard_generation_duration_seconds',
    help: 'Duration of generations, including failed ones, from the request to the last chunk. kind: type of the model, such as chat or image.',
    labelNames: [...labelNames, 'outcome'],
    buckets: LONG,
    registers,
  });
  const firstChunk = new Histogram({
    name: 'switchboard_generation_first_chunk_seconds',
    help: 'Time from the request of a streamed answer to its first event.',
    labelNames: ['provider', 'model'],
    buckets: LONG,
    registers,
  });
  const tokens = new Counter({
    name: 'switchboard_generation_tokens_total',
    help: 'Tokens in the usage ledger. direction: prompt or completion.',
    labelNames: ['provider', 'model', 'direction'],
    registers,
  });
  const images = new Counter({
    name: 'switchboard_generated_pictures_total',
    help: 'Images generated.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const attempts = new Histogram({
    name: 'switchboard_provider_attempt_duration_seconds',
    help: 'Duration of requests to providers. One generation may take several. kind: type of the model, such as chat or image.',
    labelNames: ['kind', 'provider', 'outcome'],
    buckets: LONG,
    registers,
  });
  const failovers = new Counter({
    name: 'switchboard_provider_failovers_total',
    help: 'Fallbacks to another provider because this one failed.',
    labelNames: ['provider'],
    registers,
  });
  const modelLabels = (attributes: SpanAttributes) => ({
    provider: String(attributes['provider'] ?? 'none'),
    model: toModelLabel(attributes['model']),
  });
  return {
    generation: {
      onEnd(attributes, { seconds, error }) {
        const labels = modelLabels(attributes);
        const { provider, model } = labels;
        const { kind, firstChunkSeconds } = attributes;
        duration.observe({ kind: toLabel(kind), provider, model, outcome: toGenerationOutcome(error) }, seconds);
        if (typeof firstChunkSeconds === 'number') firstChunk.observe(labels, firstChunkSeconds);
      },
    },
    'usage entry': {
      onEnd(attributes) {
        const labels = modelLabels(attributes);
        const { provider, model } = labels;
        tokens.inc({ provider, model, direction: 'prompt' }, toCount(attributes['promptTokens']));
        tokens.inc({ provider, model, direction: 'completion' }, toCount(attributes['completionTokens']));
        if (attributes['kind'] === 'image') images.inc(labels, toCount(attributes['imageCount']));
      },
    },
    'provider attempt': {
      onEnd(attributes, { seconds, error }) {
        const { kind, provider } = attributes;
        const outcome = toGenerationOutcome(error);
        attempts.observe({ kind: toLabel(kind), provider: toLabel(provider), outcome }, seconds);
        if (typeof attributes['after'] === 'string') failovers.inc({ provider: attributes['after'] });
      },
    },
  };
};

const createTelegramInstruments: Build = (registry) => {
  const registers = [registry];
  const calls = new Histogram({
    name: 'switchboard_telegram_call_duration_seconds',
    help: 'Duration of Bot API calls. outcome flood is a 429. bot: chat or storage.',
    labelNames: ['bot', 'method', 'outcome'],
    buckets: SHORT,
    registers,
  });
  const updates = new Histogram({
    name: 'switchboard_update_duration_seconds',
    help: 'Duration of handling Telegram updates, without answers that continue in the background. outcome: success or failure.',
    labelNames: ['outcome'],
    buckets: SHORT,
    registers,
  });
  const accepted = new Counter({
    name: 'switchboard_updates_received_total',
    help: 'Telegram updates stored for handling.',
    registers,
  });
  const replies = new Histogram({
    name: 'switchboard_reply_duration_seconds',
    help: 'Duration of answers in chats, from the start of the generation until the chat shows all of it. outcome: finish reason, or failure.',
    labelNames: ['outcome'],
    buckets: LONG,
    registers,
  });
  const unfinished = new Gauge({
    name: 'switchboard_replies_owed',
    help: 'Answers in chats that are not yet completely delivered.',
    registers,
  });
  return {
    'telegram call': {
      onEnd(attributes, { seconds, error }) {
        calls.observe(
          { ...pick(attributes, ['bot', 'method']), outcome: toTelegramOutcome(attributes, error) },
          seconds,
        );
      },
    },
    update: { onEnd: (_facts, { seconds, error }) => updates.observe({ outcome: toPlainOutcome(error) }, seconds) },
    'updates received': { onEnd: (attributes) => accepted.inc(toCount(attributes['count'])) },
    reply: {
      onBegin: () => unfinished.inc(),
      onEnd(attributes, { seconds, error }) {
        unfinished.dec();
        replies.observe({ outcome: error === undefined ? toFinishReason(attributes) : 'failure' }, seconds);
      },
    },
  };
};

const createStorageInstruments: Build = (registry) => {
  const registers = [registry];
  const bytes = new Counter({
    name: 'switchboard_storage_bytes_total',
    help: 'Bytes of files uploaded (up) and downloaded (down).',
    labelNames: ['direction'],
    registers,
  });
  const transfers = new Histogram({
    name: 'switchboard_storage_transfer_duration_seconds',
    help: 'Duration of uploads and downloads from the first byte to the last.',
    labelNames: ['direction', 'outcome'],
    buckets: LONG,
    registers,
  });
  const batches = new Histogram({
    name: 'switchboard_database_batch_duration_seconds',
    help: 'Rows written in one batch. table: usage or updates.',
    labelNames: ['table', 'outcome'],
    buckets: SHORT,
    registers,
  });
  return {
    'file transfer': {
      onEnd(attributes, { seconds, error }) {
        const labels = pick(attributes, ['direction']);
        bytes.inc(labels, toCount(attributes['bytes']));
        transfers.observe({ ...labels, outcome: toPlainOutcome(error) }, seconds);
      },
    },
    'database batch': {
      onEnd(attributes, { seconds, error }) {
        batches.observe({ ...pick(attributes, ['table']), outcome: toPlainOutcome(error) }, seconds);
      },
    },
  };
};

function toLabel(fact: SpanAttributes[string]): string {
  return String(fact ?? 'none');
}

function pick(attributes: SpanAttributes, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, toLabel(attributes[name])]));
}

function toCount(value: SpanAttributes[string]): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function toPlainOutcome(error: unknown): string {
  return error === undefined ? 'success' : 'failure';
}

/** Finish reasons used as labels. Providers may send others. */
const FINISH_REASONS: ReadonlySet<string> = new Set([
  ...['stop', 'length', 'content_filter', 'tool_calls', 'stopped', 'paused', 'interrupted', 'error', 'undelivered'],
]);

function toFinishReason(attributes: SpanAttributes): string {
  const reason = String(attributes['finishReason']);
  return FINISH_REASONS.has(reason) ? reason : 'other';
}
