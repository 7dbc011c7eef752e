import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { mergeRanks } from '../../../../src/core/library/search/merge-ranks.ts';
import { toNumbers, toSigns, toSimilarity } from '../../../../src/core/library/vectors.ts';

const match = (chunkId: number, messageId: number) => ({ chunkId, entry: { kind: 'message', messageId } }) as const;

it('merges results by their ranks, each entry once with its best chunk', () => {
  const byWords = [match(1, 1), match(2, 1), match(3, 2), match(4, 3)];
  const byMeaning = [match(5, 3), match(6, 4), match(7, 1)];
  expect(mergeRanks([byWords, byMeaning]).map(({ chunkId }) => chunkId)).toEqual([1, 4, 3, 6]);
  expect(mergeRanks([byWords, []]).map(({ chunkId }) => chunkId)).toEqual([1, 3, 4]);
  expect(mergeRanks([[], byMeaning])).toEqual(byMeaning);
});

it('reads vectors as numbers and in base64', () => {
  const numbers = [0.5, -1, 0, 2];
  const base64 = Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  expect([...toNumbers(numbers)]).toEqual(numbers);
  expect([...toNumbers(base64)]).toEqual(numbers);
  expect(toSigns(toNumbers(numbers))).toBe('1001');
  for (const wrong of [[], [1, Number.NaN], [Number.POSITIVE_INFINITY], new Array<number>(9000).fill(1), ''])
    expect(() => toNumbers(wrong)).toThrow(/vector/i);
});

it('estimates the similarity of vectors by the signs of one of them', () => {
  const vector = Float32Array.from({ length: 1024 }, () => randomInt(-1000, 1000));
  const other = Float32Array.from({ length: 1024 }, () => randomInt(-1000, 1000));
  const near = vector.map((number, index) => number + (other[index] ?? 0));
  const [same = 0, half = 0, none = 1, opposite = 0] = [vector, near, other, vector.map((number) => -number)].map(
    (compared) => toSimilarity(vector, toSigns(compared)),
  );
  expect(same).toBeGreaterThan(half);
  expect(half).toBeGreaterThan(0.4);
  expect(Math.abs(none)).toBeLessThan(0.2);
  expect(opposite).toBeLessThan(-0.8);
  expect(toSimilarity(new Float32Array(8), '11111111')).toBe(0);
});
