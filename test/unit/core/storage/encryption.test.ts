import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countSegments,
  createNoncePrefix,
  createPartCipher,
  NotAuthenticError,
  SEALED_SEGMENT_BYTES,
  SEGMENT_BYTES,
  toPlainSize,
  toSealedSize,
  unwrapKey,
  wrapKey,
} from '../../../../src/core/storage/blobs/encryption.ts';

const secret = { key: randomBytes(32), fileId: 'a-file', position: 3, noncePrefix: createNoncePrefix() };

/** Short segments, so that a part with many is fast; the format does not depend on their size. */
function sealSegments(plains: readonly Buffer[], with_ = secret): Buffer[] {
  const cipher = createPartCipher(with_);
  return plains.map((plain, index) => {
    const target = Buffer.alloc(plain.length + 16);
    expect(cipher.seal({ index, isLast: index === plains.length - 1 }, plain, target, 0)).toBe(target.length);
    return target;
  });
}

function openSegments(sealed: readonly Buffer[], with_ = secret): Buffer[] {
  const cipher = createPartCipher(with_);
  return sealed.map((bytes, index) => cipher.open({ index, isLast: index === sealed.length - 1 }, bytes));
}

const segments = fc
  .array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 })
  .map((list) => list.map((bytes) => Buffer.from(bytes)));

describe('the encryption of a part', () => {
  it('is reversible', () => {
    fc.assert(
      fc.property(segments, (plains) => {
        expect(openSegments(sealSegments(plains))).toEqual(plains);
      }),
    );
  });

  it('detects every flipped bit', () => {
    fc.assert(
      fc.property(segments, fc.nat(), fc.nat(7), (plains, chatTopic, bit) => {
        const sealed = sealSegments(plains);
        const victim = sealed[chatTopic % sealed.length] ?? Buffer.of();
        const at = chatTopic % victim.length;
        victim.writeUInt8(victim.readUInt8(at) ^ (1 << bit), at);
        expect(() => openSegments(sealed)).toThrow(NotAuthenticError);
      }),
    );
  });

  it('detects segments that are reordered, repeated, omitted, or cut off at either end', () => {
    const many = segments.filter((list) => list.length > 1);
    fc.assert(
      fc.property(many, fc.nat(), fc.nat(), (plains, from, to) => {
        const sealed = sealSegments(plains);
        const [a, b] = [from % sealed.length, to % sealed.length];
        const swapped = sealed.map((bytes, index) => sealed[index === a ? b : index === b ? a : index] ?? bytes);
        if (a !== b) expect(() => openSegments(swapped)).toThrow(NotAuthenticError);
        expect(() => openSegments(sealed.toSpliced(a, 0, sealed[a] ?? Buffer.of()))).toThrow(NotAuthenticError);
        expect(() => openSegments(sealed.toSpliced(a, 1))).toThrow(NotAuthenticError);
        expect(() => openSegments(sealed.slice(0, -1))).toThrow(NotAuthenticError);
        expect(() => openSegments(sealed.slice(1))).toThrow(NotAuthenticError);
      }),
    );
  });

  it('detects a part of another position, file, key or encryption', () => {
    const sealed = sealSegments([Buffer.from('one'), Buffer.from('two')]);
    const others = [
      { ...secret, position: 4 },
      { ...secret, fileId: 'another-file' },
      { ...secret, key: randomBytes(32) },
      { ...secret, noncePrefix: createNoncePrefix() },
    ];
    for (const other of others) expect(() => openSegments(sealed, other)).toThrow(NotAuthenticError);
  });

  it('detects segments that are shorter than their tag', () => {
    const cipher = createPartCipher(secret);
    for (const size of [0, 1, 15, 16]) {
      expect(() => cipher.open({ index: 0, isLast: true }, Buffer.alloc(size))).toThrow(NotAuthenticError);
    }
  });

  it('never produces the same bytes twice, because nonces differ', () => {
    const plain = [Buffer.alloc(100)];
    const sealed = Array.from({ length: 50 }, () =>
      sealSegments(plain, { ...secret, noncePrefix: createNoncePrefix() }),
    );
    expect(new Set(sealed.map(([bytes]) => bytes?.toString('hex'))).size).toBe(50);
  });
});

describe('sizes', () => {
  it('a part is longer by 16 bytes for each segment, and the largest part that fits is found', () => {
    expect([0, 1, SEGMENT_BYTES, SEGMENT_BYTES + 1].map(toSealedSize)).toEqual([
      0,
      17,
      SEALED_SEGMENT_BYTES,
      SEALED_SEGMENT_BYTES + 17,
    ]);
    expect(countSegments(19 * 1024 * 1024)).toBe(304);
    fc.assert(
      fc.property(fc.integer({ min: 17, max: 80 * 1024 * 1024 }), (sealedBytes) => {
        const plain = toPlainSize(sealedBytes);
        expect(toSealedSize(plain)).toBeLessThanOrEqual(sealedBytes);
        expect(toSealedSize(plain + 1)).toBeGreaterThan(sealedBytes);
      }),
    );
  });
});

describe('the key of a file', () => {
  it('can be read only with the same wrapping key and for the same file', () => {
    const [wrapping, key] = [randomBytes(32), randomBytes(32)];
    const wrapped = wrapKey(wrapping, 'a-file', key);
    expect(unwrapKey(wrapping, 'a-file', wrapped).equals(key)).toBe(true);
    expect(wrapKey(wrapping, 'a-file', key).equals(wrapped)).toBe(false);
    expect(() => unwrapKey(wrapping, 'another-file', wrapped)).toThrow(NotAuthenticError);
    expect(() => unwrapKey(randomBytes(32), 'a-file', wrapped)).toThrow(NotAuthenticError);
    expect(() => unwrapKey(wrapping, 'a-file', wrapped.subarray(0, -1))).toThrow(NotAuthenticError);
    expect(() => unwrapKey(wrapping, 'a-file', Buffer.alloc(10))).toThrow(NotAuthenticError);
  });
});
