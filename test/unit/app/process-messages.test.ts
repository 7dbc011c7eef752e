import { expect, test } from 'vitest';
import { readProcessMessage } from '../../../src/app/bot/process-messages.ts';

const NOTHING = { chatQueues: [], pausedForMs: undefined };

test.each<[string, unknown, object]>([
  ['chats', { chatQueues: [1, -1_001_234_567_890] }, { ...NOTHING, chatQueues: [1, -1_001_234_567_890] }],
  ['a pause', { pausedForMs: 2500.5 }, { ...NOTHING, pausedForMs: 2500.5 }],
  ['an endless pause', { pausedForMs: Number.MAX_VALUE }, { ...NOTHING, pausedForMs: 900_000 }],
  ['an invalid pause', { pausedForMs: -1 }, NOTHING],
  ['no number', { pausedForMs: '60000' }, NOTHING],
  ['a number too large for JSON', JSON.parse('{"pausedForMs": 1e999}'), NOTHING],
  ['invalid chats', { chatQueues: [1.5, 2 ** 60, '3', null] }, NOTHING],
  ['more chats than one message may contain', { chatQueues: Array.from({ length: 201 }, (_, chat) => chat) }, NOTHING],
  ['no list', { chatQueues: { length: 1e9 } }, NOTHING],
  ['a word', 'chatQueues', NOTHING],
  ['nothing', undefined, NOTHING],
])('messages of other processes are validated: %s', (_what, message, expected) => {
  expect(readProcessMessage(message)).toEqual(expected);
});
