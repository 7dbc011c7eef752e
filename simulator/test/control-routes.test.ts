import { request as httpRequest } from 'node:http';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlEvent } from '../src/control-protocol.ts';
import { makePng, startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await startTestSimulator({ memory: { events: 20 } });
});
afterEach(() => simulator.close());

/** Reads events until there are `count`. */
async function readEvents(
  query: string,
  count: number,
  headers: { [name: string]: string } = {},
): Promise<ControlEvent[]> {
  const stop = new AbortController();
  const answer = await fetch(`${simulator.url}/playground/control/events${query}`, { signal: stop.signal, headers });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events: ControlEvent[] = [];
  const messages = answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const message of messages ?? []) {
    const event = JSON.parse(message.data) as ControlEvent;
    expect(message.id).toBe(String(event.sequence));
    events.push(event);
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}

describe('the control routes', () => {
  it('support a whole conversation', async () => {
    const { body: chat } = await simulator.controlRoute('chats', { type: 'private', person: { firstName: 'Ann' } });
    const messages = `chats/${chat.id}/messages`;
    const sent = await simulator.controlRoute(messages, { text: '/start now' });
    expect(sent).toMatchObject({
      status: 200,
      body: { message: { entities: [{ type: 'bot_command', offset: 0, length: 6 }] } },
    });
    const { message_id } = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'hi',
      reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] },
    });
    const pressed = await simulator.controlRoute(`${messages}/${message_id}/press`, { data: 'a' });
    expect(pressed.body.callbackQueryId).toEqual(expect.any(String));
    expect((await simulator.controlRoute(`${messages}/${message_id}/react`, { emoji: ['🔥'] })).body).toMatchObject({
      reactions: [{ userId: chat.id, emoji: ['🔥'] }],
    });
    expect((await simulator.controlRoute(`${messages}/1/edit`, { text: 'edited' })).body).toMatchObject({ edits: 1 });
    expect((await simulator.controlRoute(`${messages}/1/delete`, {})).body).toEqual({ ok: true });
    const { body: state } = await simulator.controlRoute('state');
    expect(state).toMatchObject({
      bot: { username: 'test_bot' },
      people: [{ firstName: 'Ann' }],
      chats: [{ id: chat.id, type: 'private', title: 'Ann', botStatus: 'member' }],
      messages: { [String(chat.id)]: [{ message: { text: 'hi' } }] },
    });
  });

  it('upgrade a group and delete a topic', async () => {
    const { body: group } = await simulator.controlRoute('chats', { type: 'group', person: { firstName: 'Ann' } });
    const { body: supergroup } = await simulator.controlRoute(`chats/${group.id}/upgrade`, {});
    expect(supergroup).toMatchObject({ type: 'supergroup', memberIds: group.memberIds });
    expect(await simulator.controlRoute(`chats/${group.id}/upgrade`, {})).toMatchObject({
      status: 409,
      body: { error: { code: 'upgraded' } },
    });
    const { body: forum } = await simulator.controlRoute('chats', { type: 'forum' });
    const { body: chat } = await simulator.controlRoute('topics', { chatId: forum.id, name: 'Cats' });
    const [topic] = chat.topics as { id: number }[];
    const deletion = { chatId: forum.id, topicId: topic?.id };
    expect((await simulator.controlRoute('topics/delete', deletion)).body).toMatchObject({ topics: [] });
    expect((await simulator.controlRoute('topics/delete', deletion)).body).toMatchObject({
      error: { code: 'topic_not_found' },
    });
  });

  it('clear a private chat for its user, while the bot keeps the messages', async () => {
    const { control } = simulator;
    const { id } = control.createChat({ type: 'private' });
    const { message_id } = await simulator.succeed('sendMessage', { chat_id: id, text: 'Old' });
    const { cursor } = control.state();
    expect(await simulator.controlRoute(`chats/${id}/clear`, {})).toMatchObject({ status: 200, body: { ok: true } });
    expect(await readEvents(`?after=${cursor}`, 1)).toMatchObject([
      { type: 'messages-deleted', chatId: id, messageIds: [message_id] },
    ]);
    expect(control.state().messages[id]).toEqual([]);
    await simulator.succeed('editMessageText', { chat_id: id, message_id, text: 'Edited' });
    control.sendMessage(id, { text: 'New' });
    expect(control.state().messages[id]).toMatchObject([{ message: { text: 'New' } }]);
    const group = control.createChat({ type: 'group' });
    expect(await simulator.controlRoute(`chats/${group.id}/clear`, {})).toMatchObject({ status: 400 });
  });

  it('switch the topics of private chats on, as @BotFather does', async () => {
    const { id } = simulator.control.createChat({ type: 'private' });
    expect(await simulator.succeed('getMe')).toMatchObject({ has_topics_enabled: false });
    expect((await simulator.call('createForumTopic', { chat_id: id, name: 'A' })).description).toContain('not a forum');
    expect(await simulator.controlRoute('bot', { privateTopics: true })).toMatchObject({
      body: { privateTopics: true },
    });
    expect(await simulator.succeed('getMe')).toMatchObject({
      has_topics_enabled: true,
      allows_users_to_create_topics: true,
    });
    await simulator.succeed('createForumTopic', { chat_id: id, name: 'A' });
    expect(simulator.control.state().chats).toMatchObject([{ isForum: true, topics: [{ name: 'A' }] }]);
  });

  it('accept files from a form and return them', async () => {
    const { body: chat } = await simulator.controlRoute('chats', { type: 'private' });
    const form = new FormData();
    form.append('caption', 'see');
    form.append('file', new Blob([new Uint8Array(makePng(5, 6))], { type: 'image/png' }), 'shot.png');
    const url = `${simulator.url}/playground/control`;
    const answer = await fetch(`${url}/chats/${chat.id}/messages`, { method: 'POST', body: form });
    const { message } = (await answer.json()) as { message: { photo: { file_id: string }[]; caption: string } };
    expect(message).toMatchObject({ caption: 'see', photo: [{ width: 5, height: 6 }] });
    const file = await fetch(`${url}/files/${message.photo[0]?.file_id}`);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await file.arrayBuffer()).equals(makePng(5, 6))).toBe(true);
  });

  it('send files that could run in the page as downloads', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const bytes = Buffer.from('<script>alert(1)</script>');
    const { message } = simulator.control.sendFile(chat.id, { bytes, fileName: 'x.html', mimeType: 'text/html' });
    const file = await fetch(`${simulator.url}/playground/control/files/${message.document?.file_id}`);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''x.html");
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('inject and clear faults', async () => {
    const fault = { method: 'getMe', kind: { type: 'error', status: 500 } };
    expect((await simulator.controlRoute('faults', fault)).status).toBe(200);
    expect((await simulator.call('getMe')).status).toBe(500);
    await simulator.controlRoute('faults', { ...fault, times: 5 });
    await fetch(`${simulator.url}/playground/control/faults`, { method: 'DELETE' });
    expect((await simulator.call('getMe')).status).toBe(200);
  });

  it.each([
    ['chats/5/messages', { text: 'x' }, 404, 'chat_not_found'],
    ['chats/abc/messages', { text: 'x' }, 400, 'invalid_request'],
    ['chats', { type: 'salon' }, 400, 'invalid_request'],
    ['nowhere', {}, 404, 'page_not_found'],
    ['topics', { chatId: 1 }, 400, 'invalid_request'],
  ])('answer %s with %o by an error', async (path, body, status, code) => {
    const answer = await simulator.controlRoute(path, body);
    expect(answer).toMatchObject({ status, body: { error: { code, message: expect.any(String) } } });
  });
});

describe('the event stream', () => {
  it('continues after the state', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const { cursor } = simulator.control.state();
    simulator.control.sendMessage(chat.id, { text: 'missed' });
    setTimeout(() => simulator.control.sendMessage(chat.id, { text: 'live' }), 30);
    const events = await readEvents(`?after=${cursor}`, 2);
    expect(events).toMatchObject([
      { sequence: cursor + 1, type: 'message', message: { message: { text: 'missed' } } },
      { sequence: cursor + 2, type: 'message', message: { message: { text: 'live' } } },
    ]);
  });

  it('prefers the last event id of the browser', async () => {
    simulator.control.createChat({ type: 'private' });
    const { cursor } = simulator.control.state();
    const [event] = await readEvents('?after=0', 1, { 'last-event-id': String(cursor - 1) });
    expect(event?.sequence).toBe(cursor);
  });

  it('asks for a reload when too many events were missed, or the id is unknown', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    for (let index = 0; index < 30; index++) simulator.control.sendMessage(chat.id, { text: String(index) });
    expect(await readEvents('?after=1', 1)).toMatchObject([{ type: 'reset' }]);
    const { cursor } = simulator.control.state();
    expect(await readEvents(`?after=${cursor + 1}`, 1)).toMatchObject([{ type: 'reset' }]);
  });

  it('contains typing, drafts, edits, deletions and commands', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const { cursor } = simulator.control.state();
    await simulator.succeed('sendChatAction', { chat_id: chat.id, action: 'typing' });
    await simulator.succeed('sendMessageDraft', { chat_id: chat.id, draft_id: 5, text: 'hm' });
    const { message_id } = await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'a' });
    await simulator.succeed('editMessageText', { chat_id: chat.id, message_id, text: 'b' });
    await simulator.succeed('deleteMessage', { chat_id: chat.id, message_id });
    await simulator.succeed('setMyCommands', { commands: [{ command: 'a', description: 'A' }] });
    const events = await readEvents(`?after=${cursor}`, 7);
    expect(events.map(({ type }) => type)).toEqual([
      'chat-action',
      'draft',
      'draft-ended',
      'message',
      'message-changed',
      'messages-deleted',
      'bot',
    ]);
  });
});

/** Sends a request with headers that fetch does not let the test choose. */
function rawStatus(method: string, path: string, headers: { [name: string]: string }, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${simulator.url}/playground/${path}`, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.on('error', reject).end(body);
  });
}

describe('the guard', () => {
  const json = { 'content-type': 'application/json' };
  const port = () => new URL(simulator.url).port;

  it('refuses foreign host names, whatever they resolve to', async () => {
    expect(await rawStatus('GET', 'control/state', { host: 'evil.example' })).toBe(403);
    expect(await rawStatus('GET', '', { host: `127.0.0.1.evil.example:${port()}` })).toBe(403);
    expect(await rawStatus('GET', 'control/state', { host: `localhost:${port()}` })).toBe(200);
    expect(await rawStatus('GET', 'control/state', { host: `[::1]:${port()}` })).toBe(200);
  });

  it('refuses writes from other origins, ports included', async () => {
    const body = '{"firstName":"Ann"}';
    const from = (origin: string) => rawStatus('POST', 'control/people', { ...json, origin }, body);
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('http://127.0.0.1:1')).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from(simulator.url)).toBe(200);
    expect(await rawStatus('POST', 'control/people', { ...json, 'sec-fetch-site': 'cross-site' }, body)).toBe(403);
  });

  it('refuses reads from pages of other origins, whatever the surrounding server allows', async () => {
    expect(await rawStatus('GET', 'control/state', { origin: 'https://evil.example' })).toBe(403);
    expect(await rawStatus('GET', 'control/events', { origin: 'null' })).toBe(403);
    expect(await rawStatus('GET', 'control/state', { origin: simulator.url })).toBe(200);
    expect(await rawStatus('GET', '', { 'sec-fetch-site': 'cross-site' })).toBe(200);
  });

  it('refuses bodies that a plain form could send', async () => {
    expect(await rawStatus('POST', 'control/people', { 'content-type': 'text/plain' }, '{"firstName":"A"}')).toBe(415);
  });
});

describe('the page', () => {
  it('is served with a strict content security policy, at an address with a trailing slash', async () => {
    const answer = await fetch(`${simulator.url}/playground`);
    expect(answer.url).toBe(`${simulator.url}/playground/`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is not sent again to a client that has it', async () => {
    const first = await fetch(`${simulator.url}/playground/`);
    const tag = first.headers.get('etag') ?? '';
    expect(await rawStatus('GET', '', { 'if-none-match': tag })).toBe(304);
  });

  it('consists of a few files without further dependencies', async () => {
    const page = await (await fetch(`${simulator.url}/playground/`)).text();
    const names = [...page.matchAll(/<(?:link|script)\b[^>]*?(?:href|src)="([^"]+)"/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(['icon.svg', 'main.css', 'main.js']);
    for (const name of ['main.css', 'main.js']) {
      const text = await (await fetch(`${simulator.url}/playground/${name}`)).text();
      expect(text.length).toBeGreaterThan(30_000);
      expect(text).not.toMatch(/^(?:import |@import )/m);
    }
  });

  it('serves only its own files', async () => {
    for (const path of ['../index.ts', '%2e%2e%2findex.ts', 'tsconfig.json', '.hidden', 'nothing.js', 'state.js']) {
      expect(await rawStatus('GET', path, {})).toBe(404);
    }
  });
});
