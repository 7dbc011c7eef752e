/**
 * Minimal file server in Node: `PUT` counts bytes and drops them, `GET /<bytes>` returns that many. Runs as a separate
 * process: `node bare-server.ts PORT`.
 */
import '../gateway/end-with-parent.ts';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createContent } from './content.ts';

const server = createServer((request, response) => {
  const sizeBytes = Number(request.url?.slice(1));
  if (request.method === 'GET' && Number.isInteger(sizeBytes)) {
    response.writeHead(200, { 'content-length': sizeBytes });
    Readable.from(createContent(sizeBytes)).pipe(response);
    return;
  }
  let receivedBytes = 0;
  request.on('data', (piece: Buffer) => {
    receivedBytes += piece.length;
  });
  request.on('end', () => response.end(JSON.stringify({ url: `http://bare/${receivedBytes}` })));
});
server.requestTimeout = 0;
server.listen(Number(process.argv[2]), '127.0.0.1');
