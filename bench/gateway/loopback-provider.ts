/**
 * Minimal provider in Node: fixed answers sent at once, and streams of small chunks with and without delays.
 * Runs as a separate process: `node loopback-provider.ts PORT`.
 */
import './end-with-parent.ts';
import { createServer, type ServerResponse } from 'node:http';
import { DONE, streams, usageEvent, wholeAnswer } from './fixed-answers.ts';

const KEEP_ALIVE_MS = 600_000;
/** A kind may have a number as suffix. */
const KIND = /"model":"([a-z-]+?)(?:-\d+)?"/;

const whole = Buffer.from(wholeAnswer);

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    const kind = KIND.exec(body?.toString('latin1', 0, 200) ?? '')?.[1];
    if (kind === 'whole') answerWhole(response);
    else if (isStream(kind)) answerStream(response, streams[kind], toTail(body));
    else response.writeHead(404).end();
  });
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(Number(process.argv[2]), '127.0.0.1');

function answerWhole(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length }).end(whole);
}

function isStream(kind: string | undefined): kind is keyof typeof streams {
  return kind !== undefined && kind in streams;
}

function answerStream(response: ServerResponse, stream: (typeof streams)[keyof typeof streams], tail: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let next = 0;
  const write = () => {
    const event = stream.events[next++];
    if (response.destroyed) return;
    if (event === undefined) return void response.end(tail);
    response.write(event);
    // Chunks written in the same turn of the event loop would be sent as one.
    if (stream.paceMs === 0) setImmediate(write);
    else setTimeout(write, stream.paceMs);
  };
  write();
}

function toTail(body: Buffer | undefined): string {
  return body?.includes('"include_usage":true') ? `${usageEvent}${DONE}` : DONE;
}
