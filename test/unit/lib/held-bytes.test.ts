import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldBytes, HeldBytesFullError, type Hold } from '../../../src/lib/http/held-bytes.ts';

test('an owner holds no more than remains for all others', () => {
  const held = new HeldBytes(100);
  const first = held.open(1);
  expect(() => first.add(51)).toThrow(HeldBytesFullError);
  first.add(50);
  expect(() => first.add(1)).toThrow(HeldBytesFullError);
  const second = held.open(2);
  expect(() => second.add(26)).toThrow(HeldBytesFullError);
  second.add(25);
  held.open().add(25);
  expect(held.totalBytes).toBe(100);
});

test('an answer counts as expected, then as read as far as it is larger, then as it is', () => {
  const held = new HeldBytes(100);
  const hold = held.open(1);
  hold.add(5);
  hold.expect(10);
  hold.read(8);
  expect(held.totalBytes).toBe(15);
  hold.read(8);
  expect(held.totalBytes).toBe(21);
  hold.settle(3);
  expect(held.totalBytes).toBe(8);
  hold.release();
  expect(held.totalBytes).toBe(0);
});

test('a hold is given back when all of its users have released it', () => {
  const held = new HeldBytes(100);
  const hold = held.open(1);
  hold.add(10);
  expect(hold.retain()).toBe(hold);
  hold.release();
  expect(held.totalBytes).toBe(10);
  hold.release();
  hold.add(10);
  expect(held.totalBytes).toBe(0);
  expect(hold.retain()).toBeUndefined();
});

test('reading counts in the hold of the current request while it is held, else for the service', () => {
  const held = new HeldBytes(100);
  const hold = held.open(1);
  held.run(hold, () => {
    const reading = held.openForReading();
    reading.read(40);
    reading.release();
    expect(held.totalBytes).toBe(40);
    hold.release();
    expect(held.totalBytes).toBe(0);
    held.openForReading().read(90);
    expect(held.totalBytes).toBe(90);
  });
});

const METHODS = ['add', 'expect', 'read', 'settle', 'retain', 'release'] as const;

test('never counts more than the maximum, and nothing when everything is released', () => {
  const step = fc.record({
    hold: fc.nat(5),
    method: fc.constantFrom(...METHODS),
    bytes: fc.nat(60),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const held = new HeldBytes(100);
      const holds = Array.from({ length: 6 }, (_, at) => held.open(at < 2 ? undefined : at % 3));
      const retained = holds.map(() => 1);
      for (const { hold: at, method, bytes } of steps) {
        take(holds[at] as Hold, method, bytes);
        if (method === 'retain' && (retained[at] ?? 0) > 0) retained[at] = (retained[at] ?? 0) + 1;
        if (method === 'release') retained[at] = Math.max(0, (retained[at] ?? 0) - 1);
        expect(held.totalBytes).toBeLessThanOrEqual(100);
        expect(held.totalBytes).toBeGreaterThanOrEqual(0);
      }
      for (const [at, hold] of holds.entries()) for (let left = retained[at] ?? 0; left > 0; left -= 1) hold.release();
      expect(held.totalBytes).toBe(0);
      held.open(1).add(50);
    }),
  );
});

function take(hold: Hold, method: (typeof METHODS)[number], bytes: number): void {
  try {
    hold[method](bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(HeldBytesFullError);
  }
}
