import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChatChunks } from '../../../../src/core/models/index.ts';

async function* play(pieces: readonly (Buffer | Error)[]) {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

async function readAll(pieces: readonly (Buffer | Error)[]): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of readChatChunks(play(pieces))) chunks.push(chunk);
  return chunks;
}

describe('the chunks of a stream', () => {
  test('come out whole however the bytes are cut', async () => {
    const texts = fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }) }), { maxLength: 5 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }));
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (chunks, lengths) => {
        const bytes = Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
        const pieces: Buffer[] = [];
        let rest = bytes;
        for (const length of lengths) {
          pieces.push(rest.subarray(0, length));
          rest = rest.subarray(length);
        }
        expect(await readAll([...pieces, rest])).toEqual(chunks);
      }),
    );
  });

  test('are objects only', async () => {
    const events = 'data: {"a":1}\n\ndata: [DONE]\n\n: ping\n\ndata: 7\n\ndata: no json\n\ndata: {"b":2}\n\n';
    expect(await readAll([Buffer.from(events)])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('end with the error with which the stream breaks off', async () => {
    const seen: unknown[] = [];
    const read = async () => {
      for await (const chunk of readChatChunks(play([Buffer.from('data: {"a":1}\n\n'), new Error('cut')]))) {
        seen.push(chunk);
      }
    };
    await expect(read()).rejects.toThrow('cut');
    expect(seen).toEqual([{ a: 1 }]);
  });
});
