import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/machine/fake-clock.ts';
import type { ChatView, ControlEvent } from '../src/control-protocol.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

const clock = createFakeClock();
let simulator: TestSimulator;
let chat: ChatView;
let events: ControlEvent[];
beforeEach(async () => {
  simulator = await startTestSimulator({ clock });
  chat = simulator.control.createChat({ type: 'private' });
  events = [];
  simulator.control.subscribe((event) => events.push(event));
});
afterEach(() => simulator.close());

const TOO_OLD = 'Bad Request: query is too old and response timeout expired or query ID is invalid';

describe('a pressed button', () => {
  async function press(): Promise<string> {
    const sent = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'pick',
      reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }], [{ text: 'B', callback_data: 'b' }]] },
    });
    return simulator.control.pressButton(chat.id, Number(sent.message_id), { row: 1, column: 0 }).callbackQueryId ?? '';
  }

  it('reaches the bot, and the answer reaches the user', async () => {
    const id = await press();
    expect(simulator.control.pendingUpdates()).toMatchObject([
      { callback_query: { id, data: 'b', from: { id: chat.id }, message: { text: 'pick', reply_markup: {} } } },
    ]);
    await simulator.succeed('answerCallbackQuery', { callback_query_id: id, text: 'Got it', show_alert: true });
    expect(events.at(-1)).toMatchObject({
      type: 'callback-answer',
      callbackQueryId: id,
      text: 'Got it',
      showAlert: true,
    });
  });

  it('wakes a client that waits for the query', async () => {
    const { control } = simulator;
    const query = control.waitFor(() => control.pendingUpdates().find((update) => update.callback_query), 60_000);
    const id = await press();
    expect((await query).callback_query?.id).toBe(id);
  });

  it('can be answered once, within a minute, in 200 characters', async () => {
    const id = await press();
    const answer = (text: string, callback_query_id = id) =>
      simulator.call('answerCallbackQuery', { callback_query_id, text });
    expect((await answer('a'.repeat(201))).description).toBe('Bad Request: MESSAGE_TOO_LONG');
    expect((await answer('yes')).ok).toBe(true);
    expect((await answer('again')).description).toBe(TOO_OLD);
    const late = await press();
    await clock.advance(61_000);
    expect((await answer('late', late)).description).toBe(TOO_OLD);
  });

  it('opens a link or copies a text without the bot', async () => {
    const sent = await simulator.succeed('sendMessage', {
      chat_id: chat.id,
      text: 'links',
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'A', url: 'https://example.org' },
            { text: 'B', copy_text: { text: 'copied' } },
          ],
        ],
      },
    });
    const pressAt = (column: number) =>
      simulator.control.pressButton(chat.id, Number(sent.message_id), { row: 0, column });
    expect(pressAt(0)).toEqual({ url: 'https://example.org' });
    expect(pressAt(1)).toEqual({ copiedText: 'copied' });
    expect(() => pressAt(2)).toThrow('no such button');
    expect(simulator.control.pendingUpdates()).toHaveLength(0);
  });
});

describe('inline mode', () => {
  const result = (id: string, extra: object = {}) => ({
    type: 'article',
    id,
    title: id,
    input_message_content: { message_text: `text of ${id}` },
    ...extra,
  });
  const ask = () => simulator.control.askInline({ from: chat.id, query: 'cats', chatId: chat.id }).inlineQueryId;

  it('shows the results, sends the chosen one, and lets the bot edit it', async () => {
    const inline_query_id = ask();
    expect(simulator.control.pendingUpdates()).toMatchObject([
      { inline_query: { id: inline_query_id, query: 'cats' } },
    ]);
    const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: 'x' }]] };
    await simulator.succeed('answerInlineQuery', {
      inline_query_id,
      results: [result('a', { reply_markup }), result('b')],
    });
    expect(events.at(-1)).toMatchObject({
      type: 'inline-answer',
      inlineQueryId: inline_query_id,
      results: [{ id: 'a' }, { id: 'b' }],
    });
    const chosen = simulator.control.chooseInlineResult({
      inlineQueryId: inline_query_id,
      resultId: 'a',
      chatId: chat.id,
    });
    expect(chosen.message).toMatchObject({
      text: 'text of a',
      via_bot: { username: 'test_bot' },
      from: { id: chat.id },
    });
    const update = simulator.control.pendingUpdates().find((one) => one.chosen_inline_result);
    const inline_message_id = update?.chosen_inline_result?.inline_message_id;
    expect(await simulator.call('editMessageText', { inline_message_id, text: 'edited' })).toMatchObject({
      result: true,
    });
    expect(simulator.control.transcript(chat.id)[0]?.message.text).toBe('edited');
  });

  it('sends a file known to the bot, and refuses an unknown one or one of another kind', async () => {
    const file = { bytes: Buffer.from('hello'), fileName: 'a.txt' };
    const { result: sent } = await simulator.upload('sendDocument', { chat_id: chat.id }, { document: file });
    expect(sent).toMatchObject({ document: { file_id: expect.any(String) } });
    const { document } = sent as { document: { file_id: string } };
    const inline_query_id = ask();
    const offer = (found: object) => simulator.call('answerInlineQuery', { inline_query_id, results: [found] });
    for (const found of [
      { type: 'document', id: 'a', title: 'a', document_file_id: 'unknown' },
      { type: 'photo', id: 'a', photo_file_id: document.file_id },
    ]) {
      expect((await offer(found)).description).toBe('Bad Request: wrong file identifier/HTTP URL specified');
    }
    await offer({ type: 'document', id: 'a', title: 'a', document_file_id: document.file_id });
    const choice = { inlineQueryId: inline_query_id, resultId: 'a', chatId: chat.id };
    expect(simulator.control.chooseInlineResult(choice).message).toMatchObject({
      document: { file_name: 'a.txt', file_size: 5 },
      via_bot: { username: 'test_bot' },
    });
  });

  it.each([
    ['more than 50 results', Array.from({ length: 51 }, (_, index) => result(String(index))), 'RESULTS_TOO_MUCH'],
    ['the same id twice', [result('a'), result('a')], 'RESULT_ID_DUPLICATE'],
    ['ids over 64 bytes', [result('a'.repeat(65))], 'RESULT_ID_INVALID'],
  ])('refuses %s', async (_case, results, reason) => {
    const answer = await simulator.call('answerInlineQuery', { inline_query_id: ask(), results });
    expect(answer.description).toBe(`Bad Request: ${reason}`);
  });
});

describe('a guest bot', () => {
  const result = (text: string) => ({
    type: 'article',
    id: 'x',
    title: 'x',
    input_message_content: { message_text: text },
    reply_markup: { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] },
  });

  it('gets a query when it is mentioned in a chat without it, and answers once, in a message that it can edit', async () => {
    const group = simulator.control.createChat({ type: 'supergroup', title: 'Strangers', botStatus: 'left' });
    const { username } = simulator.control.state().bot;
    simulator.control.sendMessage(group.id, { text: 'nothing for bots' });
    const asked = simulator.control.sendMessage(group.id, { text: `@${username} hello` });
    const [update] = simulator.control.pendingUpdates();
    const { guest_query_id: queryId } = update?.guest_message ?? {};
    expect(update).toMatchObject({ guest_message: { text: `@${username} hello`, guest_query_id: expect.any(String) } });
    const sent = await simulator.succeed('answerGuestQuery', { guest_query_id: queryId, result: result('Hi…') });
    const late = await simulator.call('answerGuestQuery', { guest_query_id: queryId, result: result('Again') });
    expect(late.description).toBe(TOO_OLD);
    await simulator.succeed('editMessageText', {
      inline_message_id: sent.inline_message_id,
      text: 'Hi there',
      reply_markup: result('').reply_markup,
    });
    const answer = simulator.control.transcript(group.id).at(-1)?.message;
    expect(answer).toMatchObject({
      text: 'Hi there',
      reply_to_message: { message_id: asked.message.message_id },
      guest_bot_caller_user: { is_bot: false },
    });
    simulator.control.pressButton(group.id, answer?.message_id ?? 0, { data: 'stop' });
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      callback_query: { inline_message_id: sent.inline_message_id, data: 'stop' },
    });
  });
});
