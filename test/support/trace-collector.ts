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

/** Receiver of traces by OTLP over HTTP, in JSON. */
export interface TraceCollector {
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

/** Returns a value of OTLP's JSON, where 64-bit integers may be strings. */
function toValue({ intValue, arrayValue, ...others }: Readonly<Record<string, unknown>>): unknown {
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue === undefined) return Object.values(others)[0];
  return listSchema.parse(arrayValue).values.map(toValue);
}

const listSchema = z.object({ values: z.array(z.record(z.string(), z.unknown())) });

/** Starts a collector on loopback. The caller closes it. */
export async function startTraceCollector(): Promise<TraceCollector> {
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
