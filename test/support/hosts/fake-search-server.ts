import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that a fake search service has received. */
export interface SearchRequest {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export type SearchAnswer = (response: ServerResponse, request: SearchRequest) => void;

/** Answers with JSON. */
export function answerJson(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): SearchAnswer {
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export type FakeSearchServer = Awaited<ReturnType<typeof startFakeSearchServer>>;

export async function startFakeSearchServer() {
  const requests: SearchRequest[] = [];
  let handlers: SearchAnswer[] = [];
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://search');
    const text = (await buffer(incoming)).toString();
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      parameters: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    requests.push(request);
    const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
    handler?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Answers the next requests; the last handler also those after them. */
    answers: (...next: readonly SearchAnswer[]) => {
      handlers = [...next];
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
