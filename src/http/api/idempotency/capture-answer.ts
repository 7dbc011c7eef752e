import type { ServerResponse } from 'node:http';
import type { Answer } from '../../../core/idempotency/index.ts';

export interface CaptureLimits {
  readonly maxAnswerBytes: number;
  /** Maximum of all answers that are held at the same time. */
  readonly maxBytes: number;
}

/** An answer held in memory until `discard`. */
export interface CapturedAnswer extends Answer {
  discard(): void;
}

/**
 * Called once: with the answer when the response is ended, whether or not the client receives all of it; with undefined
 * if the response closes before, or exceeds a limit. The end of the response waits for the returned promise.
 */
type OnEnd = (answer: CapturedAnswer | undefined) => Promise<void> | undefined;

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

/** Returns a function that captures what is written to a response. */
export function createAnswerCapture(limits: CaptureLimits): (response: ServerResponse, onEnd: OnEnd) => void {
  let heldBytes = 0;
  return (response, onEnd) => {
    let body: Buffer[] = [];
    let sizeBytes = 0;
    let isOver = false;
    const discard = () => {
      heldBytes -= sizeBytes;
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
      body.push(bytes);
      sizeBytes += bytes.length;
      heldBytes += bytes.length;
      if (sizeBytes > limits.maxAnswerBytes || heldBytes > limits.maxBytes) giveUp();
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
      if (waiting) void waiting.then(() => Reflect.apply(end, response, args));
      else Reflect.apply(end, response, args);
      return response;
    };
    response.once('close', giveUp);
  };
}

function toBuffer(chunk: unknown, encoding: unknown): Buffer | undefined {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding as BufferEncoding);
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : undefined;
}

function readHead(response: ServerResponse): Pick<Answer, 'status' | 'headers'> {
  const headers = ANSWER_HEADERS.flatMap((name) => {
    const value = response.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  return { status: response.statusCode, headers: Object.fromEntries(headers) };
}
