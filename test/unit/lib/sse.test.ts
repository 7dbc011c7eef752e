import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseSplitter, isPlainSseEvent, readSseData, SseLimitError } from '../../../src/lib/sse.ts';

/** The data of all events when the bytes arrive in pieces of these sizes. */
function readInPieces(bytes: Buffer, sizes: readonly number[]): (string | undefined)[] {
  const splitter = createSseSplitter({ maxEventBytes: 1_000_000 });
  const events: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    // A copy, so that nothing can lean on bytes that have not arrived.
    events.push(...splitter.push(Buffer.from(bytes.subarray(at, at + size))));
    at += size;
  }
  expect(splitter.rest()).toBeUndefined();
  return events.map(readSseData).filter((data) => data !== undefined);
}

describe('the splitter of server-sent events', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('finds events whose lines end with %s, wherever the network cuts them', (_, lineEnd) => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n\uFEFF]/g, ''));
    const event = fc.array(line, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 80 }),
        (events, sizes) => {
          const text = events
            .map((lines) => `${lines.map((data) => `data: ${data}${lineEnd}`).join('')}${lineEnd}`)
            .join('');
          expect(readInPieces(Buffer.from(text), sizes)).toEqual(events.map((lines) => lines.join('\n')));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('puts characters together that were cut in the middle', () => {
    const bytes = Buffer.from('data: {"content":"щ🦊"}\n\n');
    expect(readInPieces(bytes, Array(bytes.length).fill(1))).toEqual(['{"content":"щ🦊"}']);
  });

  it('reads data with and without the space, empty data, and passes over other fields and comments', () => {
    const text =
      ': comment\n\nevent: ping\nid: 7\n\ndata:tight\n\ndata\n\ndata:  two spaces\n\nevent: x\ndata: y\nretry: 5\n\n';
    expect(readInPieces(Buffer.from(text), [])).toEqual(['tight', '', ' two spaces', 'y']);
  });

  it('passes over a byte order mark, even one that comes in pieces', () => {
    expect(readInPieces(Buffer.from('\uFEFFdata: x\n\n'), [1, 1])).toEqual(['x']);
  });

  it('copies nothing when a read holds whole events', () => {
    const read = Buffer.from('data: 1\n\ndata: 2\n\n');
    const events = createSseSplitter({ maxEventBytes: 100 }).push(read);
    expect(events.map((event) => event.buffer === read.buffer)).toEqual([true, true]);
    expect(Buffer.concat(events).equals(read)).toBe(true);
  });

  it('keeps what was not ended for whoever asks', () => {
    const splitter = createSseSplitter({ maxEventBytes: 100 });
    expect(splitter.push(Buffer.from('data: a\n\ndata: b'))).toHaveLength(1);
    expect(splitter.rest()?.toString()).toBe('data: b');
  });

  it('refuses an event that outgrows the limit', () => {
    const splitter = createSseSplitter({ maxEventBytes: 100 });
    splitter.push(Buffer.from('data: '));
    expect(() => {
      for (let piece = 0; piece < 20; piece++) splitter.push(Buffer.from('0123456789'));
    }).toThrow(SseLimitError);
  });

  it('takes a megabyte byte by byte in reasonable time', () => {
    const splitter = createSseSplitter({ maxEventBytes: 4_000_000 });
    const piece = Buffer.from('x');
    splitter.push(Buffer.from('data: '));
    const startedAt = performance.now();
    for (let byte = 0; byte < 1_000_000; byte++) splitter.push(piece);
    const [event] = splitter.push(Buffer.from('\n\n'));
    expect(event?.length).toBe(1_000_008);
    // Joining at every byte would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('a plain event', () => {
  it.each([
    ['data: {"a":1}\n\n', true],
    ['data:{"a":1}\n\n', false],
    ['data:  {"a":1}\n\n', false],
    ['data: {"a":1}\r\n\r\n', false],
    ['data: {\ndata: }\n\n', false],
    ['event: x\ndata: {}\n\n', false],
    [': comment\n\n', false],
  ])('%j: %s', (text, isPlain) => {
    expect(isPlainSseEvent(Buffer.from(text))).toBe(isPlain);
  });
});
