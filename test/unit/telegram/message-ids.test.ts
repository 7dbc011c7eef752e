import { expect, it } from 'vitest';
import { createMessageIds } from '../../../src/telegram/message-ids.ts';

it('private chats and basic groups count together, supergroups and channels by themselves', () => {
  const ids = createMessageIds();
  ids.note(5, 10);
  ids.note(-77, 12);
  ids.note(-1_001_234_567_890, 3);
  expect([ids.newest(6), ids.newest(-78), ids.newest(-1_001_234_567_890), ids.newest(-1_009_999_999_999)]).toEqual([
    12, 12, 3, 0,
  ]);
  expect([ids.isKnown(6, 10), ids.isKnown(6, 11), ids.isKnown(-1_001_234_567_890, 10)]).toEqual([true, false, false]);
});

it('an older message does not lower the newest', () => {
  const ids = createMessageIds();
  ids.note(5, 10);
  ids.note(5, 4);
  expect(ids.newest(5)).toBe(10);
});

it('memory is bounded: what is oldest is forgotten, the newest number never', () => {
  const ids = createMessageIds();
  for (let id = 1; id <= 30_000; id++) ids.note(5, id);
  expect([ids.isKnown(5, 1), ids.isKnown(5, 30_000), ids.newest(5)]).toEqual([false, true, 30_000]);
  for (let group = 1; group <= 10_001; group++) ids.note(-1_000_000_000_000 - group, 7);
  expect([ids.newest(-1_000_000_000_001), ids.newest(-1_000_000_010_001), ids.newest(5)]).toEqual([0, 7, 30_000]);
});
