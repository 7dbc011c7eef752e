import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness, UPSTREAM_KEY } from '../support/harness/service.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** Span as received. */
interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string;
  /** 3: a client's. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly hasFailed: boolean;
}

/** Receiver of traces by OTLP over HTTP, in JSON. */
interface TraceCollector {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Headers of all requests. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Returns all bytes received. */
  readonly received: () => string;
  close(): Promise<void>;
}

const STATUS_ERROR = 2;

const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.number(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().default(''),
              attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })).default([]),
              status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
            }),
          ),
        }),
      ),
    }),
  ),
});

const listSchema = z.object({ values: z.array(z.record(z.string(), z.unknown())) });

const WORDS = 'words that nobody else should read';
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

describe('traces', () => {
  let collector: TraceCollector;
  let stage: ServiceHarness;
  beforeAll(async () => {
    collector = await startTraceCollector();
    stage = await startServiceHarness({
      settings: {
        UNIVERSAL_API_KEY: 'sk-of-the-suite-of-traces',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
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

  test('have spans for the steps of a request, streamed or not', async () => {
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

  test('follow the conventions for generative AI', async () => {
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

  test('mark failed spans', async () => {
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

  test('have spans for updates, calls of Telegram and database batches', async () => {
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

  test('are flushed at shutdown, and an unavailable collector does not delay it', EXHAUSTIVE, async () => {
    expect((await ask('request-last')).status).toBe(200);
    await stage.service.stop();
    expect(collector.received()).toContain('request-last');

    await collector.close();
    const service = await stage.start();
    expect((await ask('request-lonely')).status).toBe(200);
    expect((await service.stop()).code).toBe(0);
  });
});

test('code of traces and metrics is loaded only if it is configured', async () => {
  const folder = new URL('../../src/', import.meta.url).pathname;
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const eager = sources
    .flatMap((source) =>
      [...source.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gms)].map(([, name = '']) => name),
    )
    .filter((name) => /telemetry\/(?:traces|metrics)\.ts$/.test(name));
  expect(eager).toEqual([]);
});

/** Returns a value of OTLP's JSON, where 64-bit integers may be strings. */
function toValue({ intValue, arrayValue, ...others }: Readonly<Record<string, unknown>>): unknown {
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue === undefined) return Object.values(others)[0];
  return listSchema.parse(arrayValue).values.map(toValue);
}

/** Starts a collector on loopback. The caller closes it. */
async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let received = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    headers.push(request.headers);
    received += body;
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    const { resourceSpans } = exportSchema.parse(JSON.parse(body));
    const arrived = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    for (const { attributes, status, ...span } of arrived) {
      const values = attributes.map(({ key, value }) => [key, toValue(value)]);
      spans.push({ ...span, attributes: Object.fromEntries(values), hasFailed: status.code === STATUS_ERROR });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    received: () => received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
