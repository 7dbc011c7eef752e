import { Counter, Gauge, Histogram } from 'prom-client';
import type { SpanAttributes } from '../lib/log/observer.ts';
import { createGenerationInstruments } from './generation-instruments.ts';
import { type Build, LONG, SHORT, toCount, toLabel } from './instrument.ts';
import { toTelegramOutcome } from './outcomes.ts';

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

function pick(attributes: SpanAttributes, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, toLabel(attributes[name])]));
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
