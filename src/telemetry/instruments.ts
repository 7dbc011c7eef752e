import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Facts } from '../lib/observer.ts';
import { toGenerationOutcome, toTelegramOutcome } from './outcomes.ts';

/** Metrics of one kind of span. */
export interface Instrument {
  readonly onBegin?: () => void;
  readonly onEnd: (facts: Facts, end: { readonly seconds: number; readonly error: unknown }) => void;
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
    help: 'HTTP requests that are being answered.',
    registers,
  });
  const duration = new Histogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'HTTP requests from their first byte to the last of their answer, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: LONG_AND_SHORT,
    registers,
  });
  return {
    'http request': {
      onBegin: () => open.inc(),
      onEnd(facts, { seconds }) {
        open.dec();
        const { method, route, status } = facts;
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
    help: 'Generations for people, failed ones too, from the order to the last piece. kind: chat or image.',
    labelNames: [...labelNames, 'outcome'],
    buckets: LONG,
    registers,
  });
  const firstChunk = new Histogram({
    name: 'switchboard_generation_first_chunk_seconds',
    help: 'Time from the order of a streamed answer to its first event.',
    labelNames: ['provider', 'model'],
    buckets: LONG,
    registers,
  });
  const tokens = new Counter({
    name: 'switchboard_generation_tokens_total',
    help: 'Tokens as the books have them. direction: prompt or completion.',
    labelNames: ['provider', 'model', 'direction'],
    registers,
  });
  const images = new Counter({
    name: 'switchboard_generated_pictures_total',
    help: 'Pictures that were made.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const attempts = new Histogram({
    name: 'switchboard_provider_attempt_duration_seconds',
    help: 'Questions to providers: one generation may take several. kind: chat or image.',
    labelNames: ['kind', 'provider', 'outcome'],
    buckets: LONG,
    registers,
  });
  const failovers = new Counter({
    name: 'switchboard_provider_failovers_total',
    help: 'Times that another provider was asked because this one had failed.',
    labelNames: ['provider'],
    registers,
  });
  const modelLabels = (facts: Facts) => ({
    provider: String(facts['provider'] ?? 'none'),
    model: toModelLabel(facts['model']),
  });
  return {
    generation: {
      onEnd(facts, { seconds, error }) {
        const labels = modelLabels(facts);
        const { provider, model } = labels;
        const { kind, firstChunkSeconds } = facts;
        duration.observe({ kind: toLabel(kind), provider, model, outcome: toGenerationOutcome(error) }, seconds);
        if (typeof firstChunkSeconds === 'number') firstChunk.observe(labels, firstChunkSeconds);
      },
    },
    'usage entry': {
      onEnd(facts) {
        const labels = modelLabels(facts);
        const { provider, model } = labels;
        tokens.inc({ provider, model, direction: 'prompt' }, toCount(facts['promptTokens']));
        tokens.inc({ provider, model, direction: 'completion' }, toCount(facts['completionTokens']));
        if (facts['kind'] === 'image') images.inc(labels, toCount(facts['pictureCount']));
      },
    },
    'provider attempt': {
      onEnd(facts, { seconds, error }) {
        const { kind, provider } = facts;
        const outcome = toGenerationOutcome(error);
        attempts.observe({ kind: toLabel(kind), provider: toLabel(provider), outcome }, seconds);
        if (typeof facts['after'] === 'string') failovers.inc({ provider: facts['after'] });
      },
    },
  };
};

const createTelegramInstruments: Build = (registry) => {
  const registers = [registry];
  const calls = new Histogram({
    name: 'switchboard_telegram_call_duration_seconds',
    help: 'Calls of the Bot API. outcome flood is a 429. bot: chat or storage.',
    labelNames: ['bot', 'method', 'outcome'],
    buckets: SHORT,
    registers,
  });
  const updates = new Histogram({
    name: 'switchboard_update_duration_seconds',
    help: 'Updates of Telegram that were handled, answers that go on beside them not counted. outcome: success or failure.',
    labelNames: ['outcome'],
    buckets: SHORT,
    registers,
  });
  const accepted = new Counter({
    name: 'switchboard_updates_received_total',
    help: 'Updates of Telegram that were kept to be handled.',
    registers,
  });
  const replies = new Histogram({
    name: 'switchboard_reply_duration_seconds',
    help: 'Answers in chats, from the beginning of their generation until the chat shows all of it. outcome: finish reason, or failure.',
    labelNames: ['outcome'],
    buckets: LONG,
    registers,
  });
  const owed = new Gauge({
    name: 'switchboard_replies_owed',
    help: 'Answers in chats that are being written and not wholly delivered.',
    registers,
  });
  return {
    'telegram call': {
      onEnd(facts, { seconds, error }) {
        calls.observe({ ...pick(facts, ['bot', 'method']), outcome: toTelegramOutcome(facts, error) }, seconds);
      },
    },
    update: { onEnd: (_facts, { seconds, error }) => updates.observe({ outcome: toPlainOutcome(error) }, seconds) },
    'updates received': { onEnd: (facts) => accepted.inc(toCount(facts['count'])) },
    reply: {
      onBegin: () => owed.inc(),
      onEnd(facts, { seconds, error }) {
        owed.dec();
        replies.observe({ outcome: error === undefined ? toFinishReason(facts) : 'failure' }, seconds);
      },
    },
  };
};

const createStorageInstruments: Build = (registry) => {
  const registers = [registry];
  const bytes = new Counter({
    name: 'switchboard_storage_bytes_total',
    help: 'Bytes of files that were taken in (up) and given out (down).',
    labelNames: ['direction'],
    registers,
  });
  const transfers = new Histogram({
    name: 'switchboard_storage_transfer_duration_seconds',
    help: 'Uploads and downloads from their first byte to their last.',
    labelNames: ['direction', 'outcome'],
    buckets: LONG,
    registers,
  });
  const batches = new Histogram({
    name: 'switchboard_database_batch_duration_seconds',
    help: 'Rows that are written together. table: usage or updates.',
    labelNames: ['table', 'outcome'],
    buckets: SHORT,
    registers,
  });
  return {
    'file transfer': {
      onEnd(facts, { seconds, error }) {
        const labels = pick(facts, ['direction']);
        bytes.inc(labels, toCount(facts['bytes']));
        transfers.observe({ ...labels, outcome: toPlainOutcome(error) }, seconds);
      },
    },
    'database batch': {
      onEnd(facts, { seconds, error }) {
        batches.observe({ ...pick(facts, ['table']), outcome: toPlainOutcome(error) }, seconds);
      },
    },
  };
};

function toLabel(fact: Facts[string]): string {
  return String(fact ?? 'none');
}

function pick(facts: Facts, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, toLabel(facts[name])]));
}

function toCount(value: Facts[string]): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function toPlainOutcome(error: unknown): string {
  return error === undefined ? 'success' : 'failure';
}

/** Finish reasons used as labels. Providers may send others. */
const FINISH_REASONS: ReadonlySet<string> = new Set([
  ...['stop', 'length', 'content_filter', 'tool_calls', 'stopped', 'paused', 'interrupted', 'error', 'undelivered'],
]);

function toFinishReason(facts: Facts): string {
  const reason = String(facts['finishReason']);
  return FINISH_REASONS.has(reason) ? reason : 'other';
}
