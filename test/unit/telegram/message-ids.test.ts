import { expect, it } from 'vitest';
import { createMessageIds, recordUpdate } from '../../../src/telegram/lost-sends/message-ids.ts';

it('private chats and basic groups share a sequence, supergroups and channels have their own', () => {
  const ids = createMessageIds();
  ids.record(5, 10);
  ids.record(-77, 12);
  ids.record(-1_001_234_567_890, 3);
  expect([ids.newest(6), ids.newest(-78), ids.newest(-1_001_234_567_890), ids.newest(-1_009_999_999_999)]).toEqual([
    12, 12, 3, 0,
  ]);
  expect([ids.isKnown(6, 10), ids.isKnown(6, 11), ids.isKnown(-1_001_234_567_890, 10)]).toEqual([true, false, false]);
});

it('updates contain message ids, unless they have none or an invalid one', () => {
  const ids = createMessageIds();
  const message = { message_id: 10, date: 1, chat: { id: 5, type: 'private', first_name: 'Ann' } } as const;
  recordUpdate(ids, { update_id: 1, message: { ...message, from: { id: 5, is_bot: false, first_name: 'Ann' } } });
  recordUpdate(ids, { update_id: 2 });
  recordUpdate(ids, JSON.parse('{"update_id":3,"message":{"message_id":"11","chat":{"id":5}}}'));
  recordUpdate(ids, JSON.parse('{"update_id":4,"message":{"message_id":12}}'));
  for (const id of [2 ** 31, 2 ** 60, -1, 0, 0.5, Number.NaN]) ids.record(5, id);
  expect(ids.newest(5)).toBe(10);
});

it('an older message does not lower the newest id', () => {
  const ids = createMessageIds();
  ids.record(5, 10);
  ids.record(5, 4);
  expect(ids.newest(5)).toBe(10);
});

it('memory is bounded: the oldest ids are forgotten, the newest never', () => {
  const ids = createMessageIds();
  for (let id = 1; id <= 30_000; id++) ids.record(5, id);
  expect([ids.isKnown(5, 1), ids.isKnown(5, 30_000), ids.newest(5)]).toEqual([false, true, 30_000]);
  for (let group = 1; group <= 10_001; group++) ids.record(-1_000_000_000_000 - group, 7);
  expect([ids.newest(-1_000_000_000_001), ids.newest(-1_000_000_010_001), ids.newest(5)]).toEqual([0, 7, 30_000]);
});
