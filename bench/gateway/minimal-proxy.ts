/**
 * Smallest possible proxy in Node: passes the bytes of requests and responses on as they arrive. No keys, validation,
 * accounts, limits or logs, and a single upstream. It shows the practical limit of the platform and is not a product.
 * Runs as a separate process: `node minimal-proxy.ts PORT UPSTREAM_ORIGIN`.
 */
import './end-with-parent.ts';
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const KEEP_ALIVE_MS = 600_000;

const pool = new Pool(process.argv[3] ?? '', { connections: 256, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = pieces.length === 1 ? (pieces[0] ?? null) : Buffer.concat(pieces);
    pool.dispatch(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
        body,
      },
      createForwarder(response),
    );
  });
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(Number(process.argv[2]), '127.0.0.1');

function createForwarder(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client is gone'));
      });
      response.on('drain', () => controller.resume());
    },
    onResponseStart(_controller, status, headers) {
      const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...kept } = headers;
      response.writeHead(status, kept);
    },
    onResponseData(controller, piece) {
      if (!response.write(piece)) controller.pause();
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}
