import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClientShares, type Slot } from '../../../../src/http/server/connections/client-shares.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Acquires slots until one is refused. */
function takeAll(enter: () => Slot | 'full' | 'share'): readonly Slot[] {
  const slots: Slot[] = [];
  for (let slot = enter(); typeof slot === 'object'; slot = enter()) slots.push(slot);
  return slots;
}

test('one client gets half of the slots, two get a third each, and the same share stays free', () => {
  const shares = createClientShares({ maxOpen: 900, maxPerClient: UNBOUNDED });
  expect(takeAll(() => shares.enter('192.0.2.1'))).toHaveLength(450);
  expect(takeAll(() => shares.enter('192.0.2.2'))).toHaveLength(225);
  expect(shares.enter('192.0.2.1')).toBe('share');
});

test('a reserve is available only to clients that may use it', () => {
  const shares = createClientShares({ maxOpen: 4, maxPerClient: UNBOUNDED });
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) shares.enter(address, 1);
  expect(shares.enter('192.0.2.4', 1)).toBe('full');
  expect(typeof shares.enter('192.0.2.4')).toBe('object');
  expect(shares.enter('192.0.2.5')).toBe('full');
});

test('a slot is released once', () => {
  const shares = createClientShares({ maxOpen: 10, maxPerClient: UNBOUNDED });
  const slot = shares.enter('192.0.2.1') as Slot;
  slot.leave();
  slot.leave();
  expect(shares.openCount).toBe(0);
});

test('for any sequence counts are right, a new client gets a free slot, and all slots are free at the end', () => {
  const step = fc.record({
    client: fc.nat({ max: 6 }),
    isLeaving: fc.boolean(),
    key: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
  });
  const limits = fc.record({ maxOpen: fc.integer({ min: 1, max: 30 }), maxPerClient: fc.integer({ min: 1, max: 10 }) });
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 200 }), ({ maxOpen, maxPerClient }, steps) => {
      const shares = createClientShares({ maxOpen, maxPerClient });
      const held: { readonly client: number; readonly slot: Slot }[] = [];
      for (const { client, isLeaving, key } of steps) {
        if (isLeaving) held.splice(client % Math.max(1, held.length), 1)[0]?.slot.leave();
        else {
          const slot = shares.enter(`192.0.2.${client}`);
          if (typeof slot === 'object') {
            held.push({ client, slot });
            if (key !== undefined) slot.countFor(`key:${key}`);
          }
        }
        expect(shares.openCount).toBe(held.length);
        expect(shares.openCount).toBeLessThanOrEqual(maxOpen);
        const own = held.filter((each) => each.client === client).length;
        expect(own).toBeLessThanOrEqual(maxPerClient);
        const fresh = shares.enter('198.51.100.1');
        expect(typeof fresh === 'object').toBe(held.length < maxOpen);
        if (typeof fresh === 'object') fresh.leave();
      }
      for (const { slot } of held) slot.leave();
      expect(shares.openCount).toBe(0);
      const places = takeAll(() => shares.enter('192.0.2.1'));
      expect(places).toHaveLength(Math.min(maxPerClient, Math.ceil(maxOpen / 2)));
    }),
    { seed: 20, numRuns: countInputs(300) },
  );
});

test('a slot can be released while other requests hold slots under the same key', () => {
  const shares = createClientShares({ maxOpen: 10, maxPerClient: UNBOUNDED });
  const places = Array.from({ length: 5 }, (_, at) => shares.enter(`192.0.2.${at}`) as Slot);
  expect(places.map((slot) => slot.countFor('key:1'))).toEqual([true, true, true, true, true]);
  const late = shares.enter('192.0.2.9') as Slot;
  expect(late.countFor('key:1')).toBe(false);
  expect(late.countFor('key:2')).toBe(true);
  places[0]?.leave();
  late.leave();
  expect((shares.enter('192.0.2.9') as Slot).countFor('key:1')).toBe(true);
});

test('a burst of one key gets half of the slots, also if all of it arrives before the key is known', () => {
  const shares = createClientShares({ maxOpen: 20, maxPerClient: UNBOUNDED });
  const burst = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].flatMap((address) =>
    Array.from({ length: 5 }, () => shares.enter(address) as Slot),
  );
  const isAllowed = burst.map((slot) => slot.countFor('key:1'));
  expect(isAllowed).toEqual([...Array(10).fill(true), ...Array(5).fill(false)]);
  for (const slot of burst) slot.leave();
  expect((shares.enter('192.0.2.1') as Slot).countFor('key:1')).toBe(true);
});
