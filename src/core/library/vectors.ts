import type { EmbeddingVector } from '../models/index.ts';

const MAX_DIMENSIONS = 8192;
const BYTES_PER_NUMBER = 4;

/** @throws if the vector is empty, too long, or has anything but finite numbers. */
export function toNumbers(vector: EmbeddingVector): Float32Array {
  const numbers = typeof vector === 'string' ? decode(vector) : Float32Array.from(vector);
  if (numbers.length === 0 || numbers.length > MAX_DIMENSIONS)
    throw new Error(`A vector has ${numbers.length} dimensions, not 1 to ${MAX_DIMENSIONS}`);
  if (!numbers.every(Number.isFinite)) throw new Error('A vector has values that are no finite numbers');
  return numbers;
}

function decode(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / BYTES_PER_NUMBER) }, (_, index) =>
    bytes.readFloatLE(index * BYTES_PER_NUMBER),
  );
}

/** Returns one bit for each number, as text: 1 for positive ones. */
export function toSigns(numbers: Float32Array): string {
  return Array.from(numbers, (number) => (number > 0 ? '1' : '0')).join('');
}

/** Returns the cosine between a vector and the signs of another one, taken as 1 and -1. */
export function toSimilarity(numbers: Float32Array, signs: string): number {
  let product = 0;
  let squares = 0;
  for (const [index, number] of numbers.entries()) {
    product += signs[index] === '1' ? number : -number;
    squares += number * number;
  }
  return squares === 0 ? 0 : product / Math.sqrt(squares * numbers.length);
}
