import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatView, FaultKind } from '../src/control-protocol.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  simulator = await startTestSimulator();
  chat = simulator.control.createChat({ type: 'private' });
});
afterEach(() => simulator.close());

const send = (text = 'hello') => simulator.call('sendMessage', { chat_id: chat.id, text });
const inject = (kind: FaultKind) => simulator.control.injectFault({ method: 'sendMessage', kind });
const countMessages = () => simulator.control.transcript(chat.id).length;

describe('an injected fault', () => {
  it('flood: answers 429, without effect, once', async () => {
    inject({ type: 'flood', retryAfterSeconds: 7 });
    expect(await send()).toMatchObject({ status: 429, retryAfter: 7 });
    expect(countMessages()).toBe(0);
    expect((await send()).ok).toBe(true);
  });

  it('error: answers with the status, without effect', async () => {
    inject({ type: 'error', status: 502 });
    expect(await send()).toMatchObject({ status: 502, description: 'Bad Gateway' });
    expect(countMessages()).toBe(0);
  });

  it.each([
    [undefined, 0],
    [true, 1],
  ])('error: answers with the page of a proxy if configured (takes effect: %s)', async (takesEffect, expected) => {
    inject({ type: 'error', status: 502, isPage: true, ...(takesEffect && { takesEffect }) });
    await expect(send()).rejects.toThrow('no JSON came: <html>');
    expect(simulator.control.calls('sendMessage').map(({ status }) => status)).toEqual([502]);
    expect(countMessages()).toBe(expected);
  });

  it('reset-before: breaks the connection, without effect', async () => {
    inject({ type: 'reset-before' });
    await expect(send()).rejects.toThrow();
    expect(countMessages()).toBe(0);
  });

  it('reset-after: breaks the connection after the message is stored', async () => {
    inject({ type: 'reset-after' });
    await expect(send()).rejects.toThrow();
    expect(countMessages()).toBe(1);
  });

  it.each([
    [undefined, 0],
    [true, 1],
  ])('no-answer: stays silent (takes effect: %s)', async (takesEffect, expected) => {
    inject({ type: 'no-answer', ...(takesEffect && { takesEffect }) });
    const answer = send().then(
      () => 'answered',
      () => 'broken off',
    );
    const first = await Promise.race([answer, new Promise((resolve) => setTimeout(() => resolve('silent'), 150))]);
    expect(first).toBe('silent');
    expect(countMessages()).toBe(expected);
    await simulator.close();
    expect(await answer).toBe('broken off');
  });

  it('slow: answers late', async () => {
    inject({ type: 'slow', delayMs: 150 });
    const before = Date.now();
    expect((await send()).ok).toBe(true);
    expect(Date.now() - before).toBeGreaterThanOrEqual(140);
  });

  it('garbage: answers no JSON after the message is stored', async () => {
    inject({ type: 'garbage' });
    await expect(send()).rejects.toThrow('no JSON came');
    expect(countMessages()).toBe(1);
  });

  it('message-vanishes: the message is deleted before the edit', async () => {
    const { message_id } = await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'x' });
    simulator.control.injectFault({ method: 'editMessageText', kind: { type: 'message-vanishes' } });
    expect((await simulator.call('editMessageText', { chat_id: chat.id, message_id, text: 'y' })).description).toBe(
      'Bad Request: message to edit not found',
    );
    expect(countMessages()).toBe(0);
  });
});

describe('an event just before a call', () => {
  it('bot-blocked: the bot is blocked, gets the update, and stays blocked', async () => {
    simulator.control.injectFault({ method: 'sendMessage', skip: 1, kind: { type: 'bot-blocked' } });
    expect((await send()).ok).toBe(true);
    const refusal = { status: 403, description: 'Forbidden: bot was blocked by the user' };
    expect(await send()).toMatchObject(refusal);
    expect(await send()).toMatchObject(refusal);
    expect(simulator.control.pendingUpdates().at(-1)).toHaveProperty('my_chat_member');
    expect(countMessages()).toBe(1);
  });

  it('bot-blocked: the bot is removed from other chats', async () => {
    const { id } = simulator.control.createChat({ type: 'supergroup', person: { firstName: 'Ann' } });
    inject({ type: 'bot-blocked' });
    expect(await simulator.call('sendMessage', { chat_id: id, text: 'hello' })).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was kicked from the supergroup chat',
    });
  });

  it('topic-vanishes: the topic is deleted with its messages', async () => {
    const { id } = simulator.control.createChat({ type: 'forum', person: { firstName: 'Ann' } });
    const [topic] = simulator.control.createTopic({ chatId: id, name: 'Cats' }).topics;
    const params = { chat_id: id, text: 'hello', message_thread_id: topic?.id };
    expect((await simulator.call('sendMessage', params)).ok).toBe(true);
    inject({ type: 'topic-vanishes' });
    expect((await simulator.call('sendMessage', params)).description).toBe('Bad Request: message thread not found');
    expect(simulator.control.transcript(id)).toEqual([]);
  });

  it('topic-vanishes: also applies to the topic of the given message', async () => {
    const { id } = simulator.control.createChat({ type: 'forum', person: { firstName: 'Ann' } });
    const [topic] = simulator.control.createTopic({ chatId: id, name: 'Cats' }).topics;
    const params = { chat_id: id, text: 'hello', message_thread_id: topic?.id };
    const { message_id } = await simulator.succeed('sendMessage', params);
    simulator.control.injectFault({ method: 'editMessageText', kind: { type: 'topic-vanishes' } });
    expect(await simulator.call('editMessageText', { chat_id: id, message_id, text: 'bye' })).toMatchObject({
      description: 'Bad Request: message to edit not found',
    });
  });

  it('group-upgraded: the group has become a supergroup', async () => {
    const { id } = simulator.control.createChat({ type: 'group', person: { firstName: 'Ann' } });
    inject({ type: 'group-upgraded' });
    expect((await simulator.call('sendMessage', { chat_id: id, text: 'hello' })).description).toBe(
      'Bad Request: group chat was upgraded to a supergroup chat',
    );
  });

  it('has no effect in chats where it makes no sense', async () => {
    inject({ type: 'group-upgraded' });
    inject({ type: 'topic-vanishes' });
    expect((await send()).ok).toBe(true);
    expect((await send()).ok).toBe(true);
  });
});

describe('the selection of calls', () => {
  it('depends on method, parameters, skips and times', async () => {
    const kind: FaultKind = { type: 'error', status: 500 };
    simulator.control.injectFault({ method: '*', match: { text: 'this' }, skip: 1, times: 2, kind });
    const statuses: number[] = [];
    for (const text of ['that', 'this', 'this', 'that', 'this', 'this']) statuses.push((await send(text)).status);
    expect(statuses).toEqual([200, 200, 500, 200, 500, 200]);
  });

  it('is counted separately for each fault, also when another one matches', async () => {
    inject({ type: 'error', status: 500 });
    simulator.control.injectFault({ method: 'sendMessage', skip: 1, kind: { type: 'error', status: 501 } });
    simulator.control.injectFault({ method: '*', skip: 3, kind: { type: 'error', status: 503 } });
    const statuses: number[] = [];
    for (const text of ['one', 'two', 'three', 'four']) statuses.push((await send(text)).status);
    expect(statuses).toEqual([500, 501, 200, 503]);
  });

  it('is empty after the faults are cleared', async () => {
    simulator.control.injectFault({ method: '*', times: 100, kind: { type: 'error', status: 500 } });
    expect((await send()).status).toBe(500);
    simulator.control.clearFaults();
    expect((await send()).status).toBe(200);
  });

  it('is shown in the log of calls', async () => {
    inject({ type: 'error', status: 503 });
    inject({ type: 'reset-before' });
    await send('one');
    await send('two').catch(() => undefined);
    await send('three');
    expect(simulator.control.calls('sendmessage').map(({ params, status }) => [params.text, status])).toEqual([
      ['one', 503],
      ['two', undefined],
      ['three', 200],
    ]);
  });
});
