import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toShapeWays } from '../../../../../src/protocols/openai-media/images/image-shape.ts';

const request = { model: 'flux', prompt: 'a red fox', count: 1 };
const sizeOf = (width: number, height: number, size?: { width: number; height: number }) => {
  const [first] = toShapeWays({ ...request, ratio: { width, height }, size }, { shape: 'width-and-height' }, undefined);
  return { width: Number(first?.width), height: Number(first?.height) };
};

describe('the requested size', () => {
  it.each([
    [1, 1],
    [3, 2],
    [2, 3],
    [4, 3],
    [3, 4],
    [5, 4],
    [4, 5],
    [16, 9],
    [9, 16],
    [21, 9],
    [9, 21],
  ])('for %i:%i is about a megapixel, within a hundredth of the ratio', (width, height) => {
    const size = sizeOf(width, height);
    expect(Math.abs((size.width / size.height) * (height / width) - 1)).toBeLessThan(0.01);
    expect(size.width * size.height).toBeGreaterThan(900_000);
    expect(size.width * size.height).toBeLessThan(1_120_000);
  });

  it('is always one that models support', () => {
    const side = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const size = sizeOf(width, height);
        for (const pixels of [size.width, size.height]) {
          expect(pixels % 32).toBe(0);
          expect(pixels).toBeGreaterThanOrEqual(256);
          expect(pixels).toBeLessThanOrEqual(2048);
        }
      }),
    );
  });

  it("covers the client's size, as far as models support it", () => {
    expect(sizeOf(1, 1, { width: 512, height: 512 })).toEqual({ width: 512, height: 512 });
    expect(sizeOf(4, 3, { width: 1000, height: 750 })).toEqual({ width: 1008, height: 752 });
    expect(sizeOf(1, 1, { width: 64, height: 64 })).toEqual({ width: 1024, height: 1024 });
    expect(sizeOf(1, 1, { width: 4096, height: 4096 })).toEqual({ width: 1024, height: 1024 });
  });
});
