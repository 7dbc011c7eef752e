import { afterEach, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../src/create-simulator.ts';
import { parseSnapshot } from '../src/world/snapshot.ts';
import { TEST_TOKEN } from './support/simulator.ts';

const simulators: Simulator[] = [];
afterEach(() => {
  for (const simulator of simulators.splice(0)) simulator.close();
});

function start(options: SimulatorOptions = {}): Simulator {
  const bots = [{ token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' }];
  const simulator = createSimulator({ bots, ...options });
  simulators.push(simulator);
  return simulator;
}

const toJson = (simulator: Simulator) => JSON.stringify(simulator.takeSnapshot());

describe('a snapshot', () => {
  it('restores users, chats, topics and messages, and reuses no id', () => {
    const before = start();
    const ann = before.control.createPerson({ firstName: 'Ann', username: 'ann_a' });
    const forum = before.control.createChat({ type: 'forum', title: 'Plans', memberIds: [ann.id] });
    before.control.createTopic({ chatId: forum.id, name: 'Food' });
    const chat = before.control.createChat({ type: 'private', memberIds: [ann.id] });
    before.control.sendMessage(chat.id, { text: 'cleared' });
    before.control.clearHistory(chat.id);
    const sent = before.control.sendMessage(chat.id, { text: 'hello' });
    before.control.configureBot({ privateTopics: true });

    const after = start({ snapshot: parseSnapshot(toJson(before)) });
    const { cursor: _before, ...state } = before.control.state();
    const { cursor: _after, ...restored } = after.control.state();
    expect(restored).toEqual(state);
    const next = after.control.sendMessage(chat.id, { text: 'again' });
    expect(next.message.message_id).toBeGreaterThan(sent.message.message_id);
    expect(after.control.createPerson({ firstName: 'Bob' }).id).toBeGreaterThan(ann.id);
  });

  it('keeps the newest messages within its limit', () => {
    const before = start();
    for (let number = 0; number < 3; number++) {
      const chat = before.control.createChat({ type: 'private' });
      for (let count = 0; count < 300; count++)
        before.control.sendMessage(chat.id, { text: `${count} ${'x'.repeat(4000)}` });
    }
    const snapshot = before.takeSnapshot();
    expect(snapshot.chats.map((chat) => chat.messages.length)).toEqual([200, 200, 200]);
    expect(snapshot.chats[0]?.messages.at(-1)?.body.text).toMatch(/^299 /);
    expect(JSON.stringify(snapshot).length).toBeLessThan(6_000_000);
  });

  it.each([
    ['', SyntaxError],
    ['{"version":2}', Error],
    ['{"version":1,"bots":[],"nextNumber":1,"people":[],"chats":[],"files":[]}', Error],
  ])('refuses %j', (json, error) => {
    expect(() => parseSnapshot(json)).toThrow(error);
  });
});
