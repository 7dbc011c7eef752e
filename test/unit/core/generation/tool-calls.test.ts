import { expect, it } from 'vitest';
import { createToolCallCollector, toReturnedCalls } from '../../../../src/core/generation/tools/tool-calls.ts';

const PIECE = { type: 'tool-call-delta', choice: 0, index: 0, id: undefined, name: 'look', arguments: '' } as const;

it('keeps a bounded number of host-specific fields', () => {
  const collector = createToolCallCollector();
  for (let at = 0; at < 50_000; at++) collector.add({ ...PIECE, native: { [`field${at}`]: at, signature: at } });
  const [call] = collector.list();
  expect(Object.keys(call?.native ?? {})).toHaveLength(20);
  expect(call?.native).toMatchObject({ field0: 0, signature: 49_999 });
});

it('keeps a bounded number of calls, each with bounded arguments', () => {
  const collector = createToolCallCollector();
  const long = 'x'.repeat(150_000);
  for (let index = 0; index < 1000; index++)
    for (const text of [long, long]) collector.add({ ...PIECE, index, id: `call${index}`, arguments: text });
  const calls = collector.list();
  expect(calls).toHaveLength(64);
  expect(calls.every((call) => call.arguments.length === 200_000)).toBe(true);
  // Hosts refuse a request whose arguments are no JSON.
  expect(toReturnedCalls(calls).every((call) => call.arguments === '{}')).toBe(true);
});
