import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Round-robin load balancer in front of several processes. */
export interface Balancer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Sets the addresses that requests are distributed to. Unreachable ones are skipped. */
  balance(backendUrls: readonly string[]): void;
  close(): Promise<void>;
}

/** Starts without backends, which gives 503. If a backend dies before it responds, the response is 502. */
export async function startBalancer(): Promise<Balancer> {
  let backends: readonly string[] = [];
  let turn = 0;
  const server = createServer((incoming, response) => {
    const first = turn++;
    const order = backends.map((_, at) => backends[(first + at) % backends.length] ?? '');
    void readBody(incoming).then((body) => forward(incoming, body, order, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    balance(backendUrls) {
      backends = backendUrls;
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function forward(
  incoming: IncomingMessage,
  body: Buffer,
  [backend, ...others]: readonly string[],
  response: ServerResponse,
): void {
  if (backend === undefined) return void response.writeHead(503).end();
  const { method, headers, url } = incoming;
  // Connections are not reused: a process may be gone before the next request.
  const outgoing = request(`${backend}${url}`, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') forward(incoming, body, others, response);
    else if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  outgoing.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece);
  } catch {
    // The client has disconnected.
  }
  return Buffer.concat(pieces);
}
