import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness, UPSTREAM_KEY } from '../support/harness/service.ts';
import {
  type CollectedMetric,
  type CollectedSpan,
  type Collector,
  startCollector,
} from '../support/hosts/collector.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const WORDS = 'words that nobody else should read';
const TOKEN = 'a-token-for-prometheus';
/** Kind of a client's span in OTLP. */
const CLIENT = 3;

const createCompletion = (usage: object) => ({
  id: 'chatcmpl-7',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'fake-model-2026',
  choices: [{ index: 0, message: { role: 'assistant', content: WORDS }, finish_reason: 'stop' }],
  usage,
});

describe('traces, metrics and logs', () => {
  let collector: Collector;
  let stage: ServiceHarness;
  beforeAll(async () => {
    collector = await startCollector();
    stage = await startServiceHarness({
      settings: {
        UNIVERSAL_API_KEY: 'sk-of-the-suite-of-traces',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        METRICS_TOKEN: TOKEN,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key-of-the-collector',
      },
    });
    await stage.service.isReady();
  });
  afterAll(async () => {
    await stage?.close();
    await collector?.close();
  });

  const ask = (requestId: string, more: object = {}) =>
    stage.service.post(
      '/ai/openai/chat/completions',
      { model: 'fake-model', messages: [{ role: 'user', content: WORDS }], ...more },
      {
        headers: {
          authorization: `Bearer ${stage.service.apiKey}`,
          'content-type': 'application/json',
          'x-request-id': requestId,
        },
      },
    );
  const findRequest = (id: string) =>
    eventually(() => collector.spans.find(({ attributes }) => attributes['switchboard.requestId'] === id));
  const childrenOf = ({ spanId, traceId }: CollectedSpan) =>
    collector.spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);
  const chainFrom = (span: CollectedSpan): string[] => {
    const [child] = childrenOf(span);
    return [span.name, ...(child ? chainFrom(child) : [])];
  };

  test('traces have spans for the steps of a request, streamed or not', async () => {
    expect((await ask('request-1')).status).toBe(200);
    expect(await (await ask('request-2', { stream: true })).text()).toContain('[DONE]');
    for (const id of ['request-1', 'request-2']) {
      const span = await findRequest(id);
      expect(chainFrom(span)).toEqual(['http request', 'generation', 'chat fake-model']);
      expect(span.attributes).toMatchObject({
        'switchboard.method': 'POST',
        'switchboard.route': '/ai/openai/chat/completions',
        'switchboard.status': 200,
      });
      expect(span.parentSpanId).toBe('');
    }
  });

  test('traces follow the conventions for generative AI', async () => {
    const usage = {
      ...{ prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
      prompt_tokens_details: { cached_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    stage.provider.behave(answerJson(200, createCompletion(usage)));
    expect((await ask('request-gen-ai', { temperature: 0.5, max_tokens: 100 })).status).toBe(200);
    const { traceId } = await findRequest('request-gen-ai');
    const attempt = collector.spans.find((span) => span.traceId === traceId && span.kind === CLIENT);
    expect(attempt).toMatchObject({ name: 'chat fake-model', hasFailed: false });
    expect(attempt?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'custom',
      'gen_ai.request.model': 'fake-model',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.response.id': 'chatcmpl-7',
      'gen_ai.response.model': 'fake-model-2026',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 10,
      'gen_ai.usage.reasoning.output_tokens': 5,
      'switchboard.kind': 'chat',
      'switchboard.provider': 'custom',
    });
  });

  test('traces mark failed spans', async () => {
    stage.provider.behave(answerJson(500, {}));
    expect((await ask('request-3')).status).toBe(502);
    const span = await findRequest('request-3');
    const [generation] = childrenOf(span);
    expect(generation?.hasFailed).toBe(true);
    expect(generation && childrenOf(generation)[0]).toMatchObject({
      name: 'chat fake-model',
      hasFailed: true,
      attributes: { 'error.type': '500' },
    });
  });

  test('traces have spans for updates, calls of Telegram and database batches', async () => {
    stage.writes(WORDS);
    await stage.says('Hello, world!');
    const names = () => new Set(collector.spans.map(({ name }) => name));
    await eventually(() => (names().has('reply') && names().has('update')) || undefined);
    const reply = collector.spans.find(({ name }) => name === 'reply');
    const parts = reply ? childrenOf(reply).map(({ name }) => name) : [];
    expect(parts).toContain('generation');
    expect(parts).toContain('telegram call');
    const tables = collector.spans.map(({ attributes }) => attributes['switchboard.table']);
    expect(tables).toEqual(expect.arrayContaining(['updates', 'usage']));
  });

  test('are sent with the configured headers, and contain neither messages nor secrets', async () => {
    expect(collector.headers.every(({ authorization }) => authorization === 'Bearer key-of-the-collector')).toBe(true);
    const { service, telegram } = stage;
    for (const secret of [WORDS, service.apiKey, telegram.token, UPSTREAM_KEY])
      expect(collector.received()).not.toContain(secret);
    expect(service.output()).not.toContain('key-of-the-collector');
  });

  test('metrics have the names and values of /metrics', async () => {
    expect((await ask('request-metrics')).status).toBe(200);
    const scraped = async () => {
      const answer = await stage.service.get('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } });
      return answer.text();
    };
    const toComparable = (text: string) =>
      text
        .split('\n')
        .filter((line) => COMPARED.test(line))
        .toSorted();
    const [before, exported, after] = await eventually(async () => {
      const first = await scraped();
      collector.forgetMetrics();
      const metrics = await eventually(() => (collector.metrics().length > 0 ? collector.metrics() : undefined));
      const last = await scraped();
      // Nothing was counted in between.
      return `${toComparable(first)}` === `${toComparable(last)}` ? [first, metrics, last] : undefined;
    });
    const types = [...after.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    // Default metrics of Node.js are the same.
    expect(exported.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(types.toSorted());
    expect(toComparable(print(exported))).toEqual(toComparable(before));
    expect(toComparable(before).length).toBeGreaterThan(50);
  });

  test('logs have the severity, the fields and the trace of their line', async () => {
    expect((await ask('request-log')).status).toBe(200);
    const line = await eventually(() =>
      collector.lines.find(({ attributes }) => attributes['requestId'] === 'request-log'),
    );
    const { traceId, spanId } = await findRequest('request-log');
    expect(line).toMatchObject({
      severityText: 'info',
      severityNumber: 9,
      body: 'request answered',
      attributes: { method: 'POST', route: '/ai/openai/chat/completions', status: 200, model: 'fake-model' },
      traceId,
      spanId,
    });
    const listening = collector.lines.find(({ body }) => String(body).startsWith('Server listening'));
    expect(listening).toBeDefined();
    expect(listening).not.toHaveProperty('traceId');
  });

  test('all are of one instance', () => {
    const instances = new Set(collector.resources.map((one) => one['service.instance.id']));
    expect(instances.size).toBe(1);
    expect(collector.resources.at(-1)).toMatchObject({
      'service.name': 'switchboard',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test('are flushed at shutdown, and an unavailable collector does not delay it', EXHAUSTIVE, async () => {
    expect((await ask('request-last')).status).toBe(200);
    await stage.service.stop();
    expect(collector.received()).toContain('request-last');
    const isLast = ({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) =>
      Object.values(attributes).includes('request-last');
    expect(collector.spans.some(isLast)).toBe(true);
    expect(collector.lines.some(isLast)).toBe(true);

    await collector.close();
    const service = await stage.start();
    expect((await ask('request-lonely')).status).toBe(200);
    await eventually(() => (service.output().includes('takes no telemetry') ? true : undefined));
    expect((await service.stop()).code).toBe(0);
    const warnings = service
      .output()
      .split('\n')
      .filter((line) => line.includes('takes no telemetry'));
    const signals = warnings.map((line): unknown => JSON.parse(line).signal);
    expect(new Set(signals).size).toBe(signals.length);
  });
});

/** Lines of Prometheus's format that change neither by a scrape nor while nothing happens. */
const COMPARED = /^switchboard_(?:generation|provider|tokens|cost|reply|update)\w+(?:\{| )|route="\/ai\/openai\//;

/** Prints exported metrics in Prometheus's format. */
function print(metrics: readonly CollectedMetric[]): string {
  return metrics
    .flatMap(({ name, points }) =>
      points.flatMap(({ attributes, value, count, bounds = [], bucketCounts = [] }) => {
        if (count === undefined) return `${name}${printLabels(attributes)} ${value}`;
        const buckets = [...bounds, '+Inf'].map((le, index) => {
          const total = bucketCounts.slice(0, index + 1).reduce((sum, one) => sum + one, 0);
          return `${name}_bucket${printLabels({ le, ...attributes })} ${total}`;
        });
        const labels = printLabels(attributes);
        return [...buckets, `${name}_sum${labels} ${value}`, `${name}_count${labels} ${count}`];
      }),
    )
    .join('\n');
}

function printLabels(labels: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

test('code of telemetry is loaded only if it is configured', async () => {
  const folder = new URL('../../src/', import.meta.url).pathname;
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const eager = sources
    .flatMap((source) =>
      [...source.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gms)].map(([, name = '']) => name),
    )
    .filter((name) => /telemetry\/(?:traces|metrics|otlp|export-\w+)\.ts$/.test(name));
  expect(eager).toEqual([]);
});
