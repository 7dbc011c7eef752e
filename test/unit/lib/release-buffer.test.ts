import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { releaseBuffer } from '../../../src/lib/files/release-buffer.ts';

test('a large buffer is freed, also through a view of it', () => {
  const whole = Buffer.alloc(100_000);
  releaseBuffer(whole.subarray(10, 20));
  expect(whole).toHaveLength(0);
});

test('a short buffer with its own memory is freed, as TLS creates them', () => {
  const record = Buffer.allocUnsafeSlow(16_384);
  releaseBuffer(record);
  expect(record).toHaveLength(0);
});

test('buffers that share their memory are kept', () => {
  const sizes = [1, 100, 10_000, (Buffer.poolSize >>> 1) - 1];
  const shared = sizes.map((size) => Buffer.from(randomBytes(size)));
  const copies = shared.map((buffer) => Uint8Array.from(buffer));
  for (const buffer of shared) releaseBuffer(buffer);
  expect(shared.map((buffer) => Uint8Array.from(buffer))).toEqual(copies);
});
