/** Cuts a stream of bytes into server-sent events without decoding it, so that a cut inside a character does no harm. */
export interface SseSplitter {
  /**
   * Takes one network read; gives the events that it completed, each with the blank line that ends it. Comment lines
   * stand in the events as they came. Events are views of the read where nothing was held back from earlier ones.
   * @throws SseLimitError when an event outgrows the limit.
   */
  push(chunk: Buffer): Buffer[];
  /** The bytes behind the last complete event; undefined where there are none. */
  rest(): Buffer | undefined;
}

/** One event was larger than allowed. */
export class SseLimitError extends Error {
  override readonly name = 'SseLimitError';
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A splitter for one stream. Lines end with LF, CRLF or CR, as the HTML standard's event stream format allows. */
export function createSseSplitter(options: { readonly maxEventBytes: number }): SseSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isStart = true;

  const hold = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes > options.maxEventBytes) {
      throw new SseLimitError(`an event is larger than ${options.maxEventBytes} bytes`);
    }
  };
  const takeHeld = () => {
    const bytes = held.length === 1 ? held[0] : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return bytes;
  };

  return {
    push(chunk) {
      if (heldBytes > 0 && chunk.indexOf(LF) < 0 && chunk.indexOf(CR) < 0) {
        // Without a line end no event can end here: joining later keeps a byte-by-byte sender linear.
        const last = held.at(-1)?.at(-1);
        if (last !== LF && last !== CR) {
          hold(chunk);
          return [];
        }
      }
      if (heldBytes > 0) hold(chunk);
      let bytes = (heldBytes > 0 ? takeHeld() : chunk) ?? chunk;
      if (isStart) {
        if (bytes.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, bytes.length).equals(bytes)) {
          hold(bytes);
          return [];
        }
        if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
        isStart = false;
      }
      const events: Buffer[] = [];
      const hasCr = bytes.indexOf(CR) >= 0;
      let start = 0;
      for (;;) {
        const end = findEventEnd(bytes, start, hasCr);
        if (end < 0) break;
        events.push(bytes.subarray(start, end));
        start = end;
      }
      hold(bytes.subarray(start));
      return events;
    },
    rest: () => (heldBytes > 0 ? takeHeld() : undefined),
  };
}

/**
 * The event's `data`, its lines joined with LF; undefined where it has none (comments, `event:` alone).
 * Other fields are left out: the protocols spoken here give them no meaning.
 */
export function readSseData(event: Buffer): string | undefined {
  const lines: string[] = [];
  for (const line of event.toString('utf8').split(/\r\n|\n|\r/)) {
    if (line === 'data') lines.push('');
    else if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return lines.length > 0 ? lines.join('\n') : undefined;
}

/** True for the one plain form `data: …\n\n`: a single line, ended by LF, nothing else in the event. */
export function isPlainSseEvent(event: Buffer): boolean {
  return (
    event.length > 8 &&
    event[0] === 0x64 && // d
    event[1] === 0x61 && // a
    event[2] === 0x74 && // t
    event[3] === 0x61 && // a
    event[4] === 0x3a && // :
    event[5] === 0x20 &&
    event[6] !== 0x20 &&
    event.indexOf(LF) === event.length - 2 &&
    event[event.length - 3] !== CR
  );
}

/** Offset behind the blank line that ends the event starting at `start`, or -1 while it is not complete. */
function findEventEnd(bytes: Buffer, start: number, hasCr: boolean): number {
  if (!hasCr) {
    if (bytes[start] === LF) return start + 1;
    for (let at = bytes.indexOf(LF, start); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      if (bytes[at + 1] === LF) return at + 2;
    }
    return -1;
  }
  let lineStart = start;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    const isBlank = at === lineStart;
    if (byte === CR && at + 1 === bytes.length) {
      // An LF may follow in the next read, except from a sender that ends its lines with CR alone.
      return isBlank && at > start && bytes[at - 1] === CR ? at + 1 : -1;
    }
    const lineEnd = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
    if (isBlank) return lineEnd;
    lineStart = lineEnd;
    at = lineEnd - 1;
  }
  return -1;
}
