import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** Span as received. */
export interface CollectedSpan {
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

/** Line of a log as received. */
export interface CollectedLine {
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Undefined for lines outside of spans. */
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** Metric as received. */
export interface CollectedMetric {
  readonly name: string;
  readonly description: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: string;
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    /** Sum of a histogram. */
    readonly value: number;
    readonly count?: number | undefined;
    readonly bounds?: readonly number[] | undefined;
    readonly bucketCounts?: readonly number[] | undefined;
  }[];
}

/** Receiver of traces, metrics and logs by OTLP over HTTP, in JSON. */
export type Collector = Awaited<ReturnType<typeof startCollector>>;

const STATUS_ERROR = 2;
/** Cumulative, as Prometheus counts. */
const CUMULATIVE = 2;

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, toValue(value)])));
/** 64-bit integers may be strings. */
const integer = z.union([z.number(), z.string()]).transform(Number);
const resource = z.object({ attributes });

const tracesSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource,
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.number(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().default(''),
              attributes,
              status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
            }),
          ),
        }),
      ),
    }),
  ),
});

const logsSchema = z.object({
  resourceLogs: z.array(
    z.object({
      resource,
      scopeLogs: z.array(
        z.object({
          logRecords: z.array(
            z.object({
              timeUnixNano: integer,
              severityNumber: z.number(),
              severityText: z.string(),
              body: z.record(z.string(), z.unknown()).transform(toValue),
              attributes,
              traceId: z.string().optional(),
              spanId: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const point = z.object({ attributes, startTimeUnixNano: integer, timeUnixNano: integer });
const numberPoints = z.array(point.extend({ asDouble: z.number() }));
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.object({
      resource,
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              description: z.string(),
              sum: z
                .object({
                  dataPoints: numberPoints,
                  isMonotonic: z.literal(true),
                  aggregationTemporality: z.literal(CUMULATIVE),
                })
                .optional(),
              gauge: z.object({ dataPoints: numberPoints }).optional(),
              histogram: z
                .object({
                  dataPoints: z.array(
                    point.extend({
                      count: integer,
                      sum: z.number(),
                      bucketCounts: z.array(integer),
                      explicitBounds: z.array(z.number()),
                    }),
                  ),
                  aggregationTemporality: z.literal(CUMULATIVE),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const listSchema = z.object({ values: z.array(z.record(z.string(), z.unknown())) });
const objectSchema = z.object({ values: attributes });

/** Starts a collector on loopback. The caller closes it. */
export async function startCollector(port = 0) {
  const spans: CollectedSpan[] = [];
  const lines: CollectedLine[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let metrics: readonly CollectedMetric[] = [];
  let received = '';
  let status = 200;
  let gate: Promise<void> | undefined;
  const take: Readonly<Record<string, (body: unknown) => void>> = {
    '/v1/traces'(body) {
      for (const { resource: from, scopeSpans } of tracesSchema.parse(body).resourceSpans) {
        resources.push(from.attributes);
        for (const { status: ending, ...span } of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, hasFailed: ending.code === STATUS_ERROR });
      }
    },
    '/v1/logs'(body) {
      for (const { resource: from, scopeLogs } of logsSchema.parse(body).resourceLogs) {
        resources.push(from.attributes);
        lines.push(...scopeLogs.flatMap((scope) => scope.logRecords));
      }
    },
    '/v1/metrics'(body) {
      for (const { resource: from, scopeMetrics } of metricsSchema.parse(body).resourceMetrics) {
        resources.push(from.attributes);
        metrics = scopeMetrics.flatMap((scope) => scope.metrics).map(toMetric);
      }
    },
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    headers.push(request.headers);
    received += body;
    const takeBody = take[request.url ?? ''];
    if (status === 200 && takeBody) takeBody(JSON.parse(body));
    await gate;
    response.writeHead(takeBody ? status : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    /** `http://127.0.0.1:<port>` */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    lines,
    /** Attributes of the senders of all requests. */
    resources,
    /** Headers of all requests. */
    headers,
    /** Returns the metrics of the last export. */
    metrics: () => metrics,
    forgetMetrics(): void {
      metrics = [];
    },
    /** Returns all bytes received. */
    received: () => received,
    /** Answers later requests with this status. */
    answerWith(next: number): void {
      status = next;
    },
    /** Delays the answers to later requests, not their reception. */
    answerAfter(promise: Promise<void>): void {
      gate = promise;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type MetricBody = z.output<typeof metricsSchema>['resourceMetrics'][number]['scopeMetrics'][number]['metrics'][number];

function toMetric({ name, description, sum, gauge, histogram }: MetricBody): CollectedMetric {
  const type = sum ? 'counter' : gauge ? 'gauge' : 'histogram';
  const numbers = (sum ?? gauge)?.dataPoints.map(({ asDouble, ...others }) => ({ ...others, value: asDouble })) ?? [];
  const histograms =
    histogram?.dataPoints.map(({ sum: value, explicitBounds: bounds, ...others }) => ({ ...others, value, bounds })) ??
    [];
  return { name, description, type, points: [...numbers, ...histograms] };
}

/** Returns a value of OTLP's JSON. */
function toValue({ intValue, arrayValue, kvlistValue, ...others }: Readonly<Record<string, unknown>>): unknown {
  if (intValue !== undefined) return Number(intValue);
  if (kvlistValue !== undefined) return objectSchema.parse(kvlistValue).values;
  if (arrayValue === undefined) return Object.values(others)[0];
  return listSchema.parse(arrayValue).values.map(toValue);
}
