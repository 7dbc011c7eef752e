import { describe, expect, it } from 'vitest';
import { decodeVectors, readVectors } from '../../../../src/protocols/openai-media/embeddings-answer.ts';

const read = (text: string, count: number) => readVectors(Buffer.from(text), count);
const decode = async (text: string, count: number) => [
  ...decodeVectors((await read(text, count))?.vectors ?? [], () => new Error('no vector')),
];

describe('the vectors of an answer', () => {
  it('are found in any layout, in the order of their index', async () => {
    const text = `{"object":"list","data":[
      {"object":"embedding","embedding" : [ 1, -2e-3 ],"index":1},
      {"index":0,"embedding":"AACAPw=="}],"model":"a \\"embedding\\": [7] b","usage":{"prompt_tokens":3}}`;
    expect(await decode(text, 2)).toEqual(['AACAPw==', [1, -0.002]]);
    expect((await read(text, 2))?.body).toMatchObject({ model: 'a "embedding": [7] b', usage: { prompt_tokens: 3 } });
  });

  it('keep the order of the list without index', async () => {
    expect(await decode('{"data":[{"embedding":[1]},{"embedding":[]}]}', 2)).toEqual([[1], []]);
  });

  it.each([
    ['too few', '{"data":[{"embedding":[1]}]}'],
    ['too many', '{"data":[{"embedding":[1]},{"embedding":[2]},{"embedding":[3]}]}'],
    ['one index twice', '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}'],
    ['an index out of range', '{"data":[{"index":7,"embedding":[1]},{"index":0,"embedding":[2]}]}'],
    ['an item without a vector', '{"data":[{"embedding":[1]},{"embedding":null}]}'],
    ['a number as a vector', '{"data":[{"embedding":[1]},{"embedding":0}]}'],
    ['no list', '{"error":"embedding"}'],
  ])('are refused with %s', async (_, text) => {
    expect((await read(text, 2))?.vectors).toBeUndefined();
  });

  it.each(['', '[]', '{"data":[{"embedding":[1,2', '{"data":[{"embedding":[[1],[2]]}]}'])(
    'are refused if the answer is %j',
    async (text) => {
      expect(await read(text, 1)).toBeUndefined();
    },
  );

  it.each(['[1,"2"]', '[1,,2]', '"AAA="'])('can be undecodable: %s', async (vector) => {
    await expect(decode(`{"data":[{"embedding":${vector}}]}`, 1)).rejects.toThrow('no vector');
  });

  it('are found much faster than they are parsed, also among many false names', async () => {
    const data = Array.from({ length: 600 }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: 1536 }, (_value, at) => Math.sin(at + index)),
    }));
    const bytes = Buffer.from(JSON.stringify({ data, noise: Array(50_000).fill('embedding') }));
    /** Returns the least of three processor times, because the collector of garbage only adds to them. */
    const measure = async (work: () => unknown) => {
      const times: number[] = [];
      for (let run = 0; run < 3; run += 1) {
        const before = process.threadCpuUsage();
        await work();
        const { user, system } = process.threadCpuUsage(before);
        times.push((user + system) / 1000);
      }
      return Math.min(...times);
    };
    const parseMs = await measure(() => JSON.parse(bytes.toString('utf8')));
    const readMs = await measure(async () => expect((await readVectors(bytes, 600))?.vectors).toHaveLength(600));
    expect(readMs).toBeLessThan(parseMs);
  });
});
