import type { ServerResponse } from 'node:http';
import type { Answer } from '../../../core/idempotency/index.ts';
import { HeldBytesFullError, type Hold } from '../../../lib/http/held-bytes.ts';

/** An answer held in memory until `discard`. */
export interface CapturedAnswer extends Answer {
  discard(): void;
}

/**
 * Called once: with the answer when the response is ended, whether or not the client receives all of it; with undefined
 * if the response closes before, is too large, or memory is short. The end of the response waits for the returned
 * promise.
 */
type OnEnd = (answer: CapturedAnswer | undefined) => Promise<void> | undefined;

/** An answer with a few large images; larger ones are not captured. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Captures what is written to a response. The bytes count in `hold` until `discard`. */
export function captureAnswer(response: ServerResponse, hold: Hold, onEnd: OnEnd): void {
  let body: Buffer[] = [];
  let sizeBytes = 0;
  let isOver = false;
  hold.retain();
  const discard = () => {
    hold.add(-sizeBytes);
    hold.release();
    sizeBytes = 0;
    body = [];
  };
  const giveUp = () => {
    if (isOver) return;
    isOver = true;
    discard();
    void onEnd(undefined);
  };
  const keep = (chunk: unknown, encoding: unknown) => {
    const bytes = toBuffer(chunk, encoding);
    if (isOver || !bytes) return;
    if (sizeBytes + bytes.length > MAX_ANSWER_BYTES || !hasRoom(hold, bytes.length)) return giveUp();
    body.push(bytes);
    sizeBytes += bytes.length;
  };
  const { write, end } = response;
  response.write = (...args: unknown[]) => {
    keep(args[0], args[1]);
    return Reflect.apply(write, response, args);
  };
  response.end = (...args: unknown[]) => {
    keep(args[0], args[1]);
    const waiting = isOver ? undefined : onEnd({ ...readHead(response), sizeBytes, body, discard });
    isOver = true;
    if (waiting !== undefined) void waiting.then(() => Reflect.apply(end, response, args));
    else Reflect.apply(end, response, args);
    return response;
  };
  response.once('close', giveUp);
}

/** Counts bytes in the hold, unless they are too many. */
function hasRoom(hold: Hold, bytes: number): boolean {
  try {
    hold.add(bytes);
    return true;
  } catch (error) {
    if (error instanceof HeldBytesFullError) return false;
    throw error;
  }
}

function toBuffer(chunk: unknown, encoding: unknown): Buffer | undefined {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding as BufferEncoding);
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : undefined;
}

/** Headers that belong to the answer; the others belong to the request, the connection or the limits of the key. */
const ANSWER_HEADERS = [
  'content-type',
  'content-length',
  'content-disposition',
  'cache-control',
  'x-accel-buffering',
  'retry-after',
  'x-should-retry',
];

function readHead(response: ServerResponse): Pick<Answer, 'status' | 'headers'> {
  const headers = ANSWER_HEADERS.flatMap((name) => {
    const value = response.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  return { status: response.statusCode, headers: Object.fromEntries(headers) };
}
