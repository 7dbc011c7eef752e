import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatView } from '../src/control-protocol.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  simulator = await startTestSimulator();
  chat = simulator.control.createChat({ type: 'private', person: { firstName: 'Ann', username: 'ann_smith' } });
});
afterEach(() => simulator.close());

const send = (params: object) => simulator.call('sendMessage', { chat_id: chat.id, ...params });

describe('sendMessage', () => {
  it('adds the message to the chat and returns it', async () => {
    const answer = await send({ text: 'hello' });
    expect(answer.result).toMatchObject({
      message_id: 1,
      from: { id: 7000001, is_bot: true, first_name: 'Test Bot', username: 'test_bot' },
      chat: { id: chat.id, type: 'private', first_name: 'Ann', username: 'ann_smith' },
      text: 'hello',
    });
    expect(simulator.control.transcript(chat.id).map(({ message }) => message.text)).toEqual(['hello']);
  });

  it.each([
    ['no text', {}, 'message text is empty'],
    ['an empty text', { text: '' }, 'message text is empty'],
    ['blank space only', { text: ' \n\t ' }, 'text must be non-empty'],
    ['4097 units', { text: 'a'.repeat(4097) }, 'message is too long'],
    ['4097 units in pairs', { text: `${'😀'.repeat(2048)}a` }, 'message is too long'],
    ['no chat', { chat_id: undefined, text: 'x' }, 'chat_id is empty'],
    ['an unknown chat', { chat_id: 5, text: 'x' }, 'chat not found'],
    ['an unknown name', { chat_id: '@nowhere', text: 'x' }, 'chat not found'],
    ['an unknown topic', { message_thread_id: 9, text: 'x' }, 'message thread not found'],
    ['an unknown reply', { text: 'x', reply_parameters: { message_id: 99 } }, 'message to be replied not found'],
    ['an unknown parse mode', { text: 'x', parse_mode: 'BBCode' }, 'unsupported parse_mode'],
  ])('refuses %s', async (_case, params, reason) => {
    expect(await send(params)).toMatchObject({ status: 400, description: `Bad Request: ${reason}` });
    expect(simulator.control.transcript(chat.id)).toHaveLength(0);
  });

  it('accepts 4096 units, counted after trimming', async () => {
    expect(await send({ text: `  ${'😀'.repeat(2048)}\n\n` })).toMatchObject({ ok: true });
  });

  it('trims, and shifts the entities', async () => {
    const answer = await send({ text: '\n  hello bold  ', entities: [{ type: 'bold', offset: 9, length: 6 }] });
    expect(answer.result).toMatchObject({ text: 'hello bold', entities: [{ type: 'bold', offset: 6, length: 4 }] });
  });

  it('detects commands, mentions, links and hashtags, but not in code', async () => {
    const text = '/go @someone https://example.org/x. #tag a@example.org `/no` $USD';
    const answer = await send({ text, entities: [{ type: 'code', offset: text.indexOf('`'), length: 5 }] });
    const { entities } = answer.result as { entities: { type: string; offset: number; length: number }[] };
    expect(entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])).toEqual([
      ['bot_command', '/go'],
      ['mention', '@someone'],
      ['url', 'https://example.org/x'],
      ['hashtag', '#tag'],
      ['email', 'a@example.org'],
      ['code', '`/no`'],
      ['cashtag', '$USD'],
    ]);
  });

  it.each([
    ['begins after the end', { offset: 5, length: 1 }, 'entity begins after the end of the text at UTF-16 offset 5'],
    [
      'ends after the end',
      { offset: 2, length: 9 },
      'entity beginning at UTF-16 offset 2 ends after the end of the text at UTF-16 offset 11',
    ],
    ['begins inside a pair', { offset: 1, length: 1 }, 'entity begins in a middle of a UTF-16 symbol at byte offset'],
    [
      'ends inside a pair',
      { offset: 0, length: 1 },
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16',
    ],
  ])('refuses an entity that %s', async (_case, place, reason) => {
    const answer = await send({ text: '😀abc', entities: [{ type: 'bold', ...place }] });
    expect(answer.status).toBe(400);
    expect(answer.description).toContain(reason);
  });

  it('contains the replied message, without its own reply', async () => {
    const { message } = simulator.control.sendMessage(chat.id, { text: 'question' });
    const first = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'answer',
      reply_parameters: { message_id: message.message_id, quote: 'quest' },
    });
    expect(first).toMatchObject({
      reply_to_message: { text: 'question' },
      quote: { text: 'quest', position: 0, is_manual: true },
    });
    const second = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'more',
      reply_parameters: { message_id: first.message_id },
    });
    expect(second.reply_to_message).toMatchObject({ text: 'answer' });
    expect(second.reply_to_message).not.toHaveProperty('reply_to_message');
  });

  it('is sent without the reply if the call allows that', async () => {
    const answer = await send({ text: 'x', reply_parameters: { message_id: 99, allow_sending_without_reply: true } });
    expect(answer.ok).toBe(true);
    expect(answer.result).not.toHaveProperty('reply_to_message');
  });

  it('is not delivered back to its author', async () => {
    await send({ text: 'to myself' });
    expect(simulator.control.pendingUpdates()).toHaveLength(0);
  });
});

describe('keyboards', () => {
  const keyboard = (button: object) => ({ inline_keyboard: [[button]] });

  it('use the first kind of a button that specifies several', async () => {
    const button = { text: 'x', copy_text: { text: '' }, callback_data: 'd' };
    expect(
      await simulator.succeed('sendMessage', { chat_id: chat.id, text: 'x', reply_markup: keyboard(button) }),
    ).toMatchObject({
      reply_markup: keyboard({ text: 'x', callback_data: 'd' }),
    });
  });

  it.each([
    ['no callback data', { text: 'x', callback_data: '' }, 'BUTTON_DATA_INVALID'],
    ['65 bytes of callback data', { text: 'x', callback_data: 'é'.repeat(33) }, 'BUTTON_DATA_INVALID'],
    ['no kind', { text: 'x' }, 'text buttons are unallowed in the inline keyboard'],
    ['no text', { callback_data: 'd' }, 'Can\'t find field "text"'],
    ['a link to localhost', { text: 'x', url: 'http://localhost:8080' }, 'Wrong HTTP URL'],
  ])('refuse a button with %s', async (_case, button, reason) => {
    const answer = await send({ text: 'x', reply_markup: keyboard(button) });
    expect(answer.status).toBe(400);
    expect(answer.description).toContain(reason);
  });

  it('accept 64 bytes of callback data', async () => {
    expect(
      await send({ text: 'x', reply_markup: keyboard({ text: 'x', callback_data: 'é'.repeat(32) }) }),
    ).toMatchObject({
      ok: true,
    });
  });

  it('of the reply kind are separate from the message, and prevent its editing', async () => {
    const sent = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'choose',
      reply_markup: { keyboard: [[{ text: 'A' }]] },
    });
    expect(sent).not.toHaveProperty('reply_markup');
    expect(simulator.control.transcript(chat.id)[0]?.keyboard).toEqual({ keyboard: [[{ text: 'A' }]] });
    const edit = { chat_id: chat.id, message_id: sent.message_id, text: 'B' };
    expect((await simulator.call('editMessageText', edit)).description).toBe("Bad Request: message can't be edited");
  });
});

describe('forwarding and copying', () => {
  it('contains the origin of a forwarded message', async () => {
    const { message } = simulator.control.sendMessage(chat.id, { text: 'source' });
    const target = simulator.control.createChat({ type: 'group', title: 'Team' });
    const params = { chat_id: target.id, from_chat_id: chat.id, message_id: message.message_id };
    expect(await simulator.succeed('forwardMessage', params)).toMatchObject({
      text: 'source',
      forward_origin: { type: 'user', sender_user: { first_name: 'Ann' } },
    });
    const copied = await simulator.succeed('copyMessage', params);
    expect(Object.keys(copied)).toEqual(['message_id']);
    const copy = simulator.control.transcript(target.id).at(-1)?.message;
    expect(copy).toMatchObject({ text: 'source', from: { is_bot: true } });
    expect(copy).not.toHaveProperty('forward_origin');
  });

  it('fails for a missing message', async () => {
    const params = { chat_id: chat.id, from_chat_id: chat.id, message_id: 77 };
    expect((await simulator.call('forwardMessage', params)).description).toBe(
      'Bad Request: message to forward not found',
    );
  });
});
