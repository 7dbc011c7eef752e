import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/machine/fake-clock.ts';
import type { ChatView } from '../src/control-protocol.ts';
import { type BotApiAnswer, startTestSimulator, type TestSimulator } from './support/simulator.ts';

let clock: FakeClock;
let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  clock = createFakeClock();
  simulator = await startTestSimulator({ clock, limits: 'telegram' });
  chat = simulator.control.createChat({ type: 'private' });
});
afterEach(() => simulator.close());

let count = 0;
const send = (chat_id = chat.id) => simulator.call('sendMessage', { chat_id, text: `message ${count++}` });

/** Counts calls until the first refusal. */
async function untilRefused(call: () => Promise<BotApiAnswer>): Promise<{ taken: number; refusal: BotApiAnswer }> {
  for (let taken = 0; taken < 100; taken++) {
    const answer = await call();
    if (!answer.ok) return { taken, refusal: answer };
  }
  throw new Error('nothing was refused');
}

describe('a private chat', () => {
  it('accepts about one message a second permanently', async () => {
    for (let second = 0; second < 40; second++) {
      expect((await send()).status).toBe(200);
      await clock.advance(1000);
    }
  });

  it('accepts a short burst, then answers 429 with the retry time', async () => {
    const { taken, refusal } = await untilRefused(send);
    expect(taken).toBeGreaterThanOrEqual(3);
    expect(taken).toBeLessThan(10);
    expect(refusal).toMatchObject({ status: 429, description: `Too Many Requests: retry after ${refusal.retryAfter}` });
    await clock.advance((refusal.retryAfter ?? 0) * 1000);
    expect((await send()).ok).toBe(true);
  });

  it('extends the retry time for calls before its end', async () => {
    const { refusal } = await untilRefused(send);
    const again = await send();
    expect(again.retryAfter).toBeGreaterThan(refusal.retryAfter ?? 0);
    await clock.advance((refusal.retryAfter ?? 0) * 1000);
    expect((await send()).status).toBe(429);
  });

  it('counts failed edits as well', async () => {
    const stop = () => simulator.call('stopMessageLiveLocation', { chat_id: chat.id, message_id: 1 });
    const statuses: number[] = [];
    for (let count = 0; count < 10; count++) statuses.push((await stop()).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429, 429, 429, 429]);
  });

  it('counts edits like sends', async () => {
    const { message_id } = await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'first' });
    const edit = () => simulator.call('editMessageText', { chat_id: chat.id, message_id, text: `edit ${count++}` });
    const { taken } = await untilRefused(edit);
    expect(taken).toBeLessThan(10);
    expect((await send()).status).toBe(429);
  });

  it('does not slow down other chats, nor callback answers', async () => {
    const other = simulator.control.createChat({ type: 'private' });
    await untilRefused(send);
    expect((await send(other.id)).ok).toBe(true);
    for (let press = 0; press < 50; press++) {
      expect((await simulator.call('answerCallbackQuery', { callback_query_id: 'x' })).status).toBe(400);
    }
  });

  it('sends the retry time in a header, too', async () => {
    await untilRefused(send);
    const answer = await fetch(`${simulator.url}/bot${simulator.token}/sendMessage?chat_id=${chat.id}&text=x`);
    const body = (await answer.json()) as { parameters: { retry_after: number } };
    expect(answer.headers.get('retry-after')).toBe(String(body.parameters.retry_after));
  });
});

describe('a group', () => {
  it('accepts 20 messages a minute, its topics together', async () => {
    const group = simulator.control.createChat({ type: 'forum', botStatus: 'administrator' });
    const topic = await simulator.succeed('createForumTopic', { chat_id: group.id, name: 'Topic' });
    const inTopic = () =>
      simulator.call('sendMessage', {
        chat_id: group.id,
        message_thread_id: topic.message_thread_id,
        text: `t${count++}`,
      });
    for (let index = 0; index < 10; index++) {
      expect((await send(group.id)).ok).toBe(true);
      expect((await inTopic()).ok).toBe(true);
      await clock.advance(100);
    }
    const refusal = await inTopic();
    expect(refusal.status).toBe(429);
    expect(refusal.retryAfter).toBeGreaterThan(50);
  });

  it('accepts one message every 3.1 s permanently', async () => {
    const group = simulator.control.createChat({ type: 'group' });
    for (let index = 0; index < 45; index++) {
      expect((await send(group.id)).status).toBe(200);
      await clock.advance(3100);
    }
  });

  it('counts every item of an album', async () => {
    const group = simulator.control.createChat({ type: 'group' });
    const media = Array.from({ length: 7 }, () => ({ type: 'photo', media: 'unknown' }));
    const album = () => simulator.call('sendMediaGroup', { chat_id: group.id, media });
    expect([(await album()).status, (await album()).status, (await album()).status]).toEqual([400, 400, 429]);
  });
});

describe('all chats together', () => {
  it('accept 30 messages a second', async () => {
    const chats = Array.from({ length: 31 }, () => simulator.control.createChat({ type: 'private' }));
    const statuses: number[] = [];
    for (const { id } of chats) statuses.push((await send(id)).status);
    expect(statuses.slice(0, 30).every((status) => status === 200)).toBe(true);
    expect(statuses[30]).toBe(429);
  });
});

describe('drafts and chat actions', () => {
  it('share 20 calls in 5 s, apart from messages', async () => {
    const draft = () => simulator.call('sendMessageDraft', { chat_id: chat.id, draft_id: 1, text: `d${count++}` });
    const action = () => simulator.call('sendChatAction', { chat_id: chat.id, action: 'typing' });
    for (let index = 0; index < 10; index++) {
      expect((await draft()).ok).toBe(true);
      expect((await action()).ok).toBe(true);
    }
    expect((await action()).status).toBe(429);
    expect((await send()).ok).toBe(true);
  });

  it('share 40 calls in 30 s', async () => {
    const action = () => simulator.call('sendChatAction', { chat_id: chat.id, action: 'typing' });
    for (let index = 0; index < 40; index++) {
      expect((await action()).ok).toBe(true);
      await clock.advance(300);
    }
    expect((await action()).status).toBe(429);
  });
});

describe('uploads of the same size', () => {
  it('are slowed down, and refused above 5 s of backlog', async () => {
    const channel = simulator.control.createChat({ type: 'channel' });
    const bytes = Buffer.alloc(9_000_000);
    const upload = () =>
      simulator.upload('sendDocument', { chat_id: channel.id }, { document: { bytes, fileName: 'part.bin' } });
    const answers = Array.from({ length: 8 }, upload);
    const settled = Promise.all(answers);
    let isSettled = false;
    void settled.then(() => {
      isSettled = true;
    });
    for (let step = 0; step < 200 && !isSettled; step++) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const statuses = (await settled).map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(clock.now()).toBeGreaterThan(Date.UTC(2026, 0, 1) + 3000);
  });
});

describe('a simulator without limits', () => {
  it('accepts any number of calls', async () => {
    await simulator.close();
    simulator = await startTestSimulator({ clock });
    chat = simulator.control.createChat({ type: 'private' });
    for (let index = 0; index < 60; index++) expect((await send()).ok).toBe(true);
  });
});
