import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/machine/fake-clock.ts';
import type { ChatView } from '../src/control-protocol.ts';
import { makePng, startTestSimulator, type TestSimulator } from './support/simulator.ts';

const clock = createFakeClock();
let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  simulator = await startTestSimulator({ clock });
  chat = simulator.control.createChat({ type: 'private' });
});
afterEach(() => simulator.close());

const KEYBOARD = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] };
const NOT_MODIFIED =
  'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

async function sendText(text: string, reply_markup?: object): Promise<{ chat_id: number; message_id: unknown }> {
  const sent = await simulator.succeed('sendMessage', {
    chat_id: chat.id,
    text,
    ...(reply_markup && { reply_markup }),
  });
  return { chat_id: chat.id, message_id: sent.message_id };
}

describe('editMessageText', () => {
  it('replaces the text and removes the keyboard unless it is sent again', async () => {
    const target = await sendText('draft', KEYBOARD);
    const edited = await simulator.succeed('editMessageText', { ...target, text: 'final' });
    expect(edited).toMatchObject({ text: 'final', edit_date: expect.any(Number) });
    expect(edited).not.toHaveProperty('reply_markup');
    expect(simulator.control.transcript(chat.id)[0]).toMatchObject({ edits: 1, message: { text: 'final' } });
  });

  it('refuses an edit without a change, keyboard included', async () => {
    const target = await sendText('same', KEYBOARD);
    const again = { ...target, text: '  same ', reply_markup: KEYBOARD };
    expect(await simulator.call('editMessageText', again)).toMatchObject({ status: 400, description: NOT_MODIFIED });
    expect(await simulator.call('editMessageText', { ...target, text: 'same' })).toMatchObject({ ok: true });
  });

  it('does not find a deleted message', async () => {
    const target = await sendText('short-lived');
    simulator.control.deleteMessage(chat.id, Number(target.message_id));
    expect((await simulator.call('editMessageText', { ...target, text: 'x' })).description).toBe(
      'Bad Request: message to edit not found',
    );
  });

  it('refuses messages of users', async () => {
    const { message } = simulator.control.sendMessage(chat.id, { text: 'mine' });
    const edit = { chat_id: chat.id, message_id: message.message_id, text: 'yours' };
    expect((await simulator.call('editMessageText', edit)).description).toBe("Bad Request: message can't be edited");
  });

  it('validates the new text like the first', async () => {
    const target = await sendText('x');
    expect((await simulator.call('editMessageText', { ...target, text: 'a'.repeat(4097) })).description).toBe(
      'Bad Request: MESSAGE_TOO_LONG',
    );
    expect((await simulator.call('editMessageText', target)).description).toBe('Bad Request: message text is empty');
  });

  it('does not deliver an update', async () => {
    const target = await sendText('x');
    await simulator.succeed('editMessageText', { ...target, text: 'y' });
    expect(simulator.control.pendingUpdates()).toHaveLength(0);
  });
});

describe('other edits', () => {
  it('editMessageReplyMarkup keeps the text', async () => {
    const target = await sendText('text', KEYBOARD);
    expect(await simulator.succeed('editMessageReplyMarkup', target)).toMatchObject({ text: 'text' });
    expect((await simulator.call('editMessageReplyMarkup', target)).description).toBe(NOT_MODIFIED);
  });

  it('editMessageCaption keeps the image, and needs one', async () => {
    const photo = { bytes: makePng(10, 10), fileName: 'a.png' };
    const sent = await simulator.upload('sendPhoto', { chat_id: chat.id, caption: 'before' }, { photo });
    const { message_id, photo: sizes } = sent.result as { message_id: number; photo: object[] };
    const edited = await simulator.succeed('editMessageCaption', { chat_id: chat.id, message_id, caption: 'after' });
    expect(edited).toMatchObject({ caption: 'after', photo: sizes });
    const text = await sendText('no picture');
    expect((await simulator.call('editMessageCaption', { ...text, caption: 'x' })).description).toBe(
      'Bad Request: there is no caption in the message to edit',
    );
    const asText = { chat_id: chat.id, message_id, text: 'x' };
    expect((await simulator.call('editMessageText', asText)).description).toBe(
      'Bad Request: there is no text in the message to edit',
    );
  });

  it('editMessageMedia replaces the text by a file', async () => {
    const target = await sendText('wait…');
    const answer = await simulator.upload(
      'editMessageMedia',
      { ...target, media: { type: 'photo', media: 'attach://picture', caption: 'done' } },
      { picture: { bytes: makePng(20, 10), fileName: 'a.png' } },
    );
    expect(answer.result).toMatchObject({ caption: 'done', photo: [{ width: 20, height: 10 }] });
    expect(answer.result).not.toHaveProperty('text');
  });
});

describe('deleting', () => {
  it("removes the bot's messages and, in private chats, the user's", async () => {
    const own = await sendText('own');
    const { message } = simulator.control.sendMessage(chat.id, { text: 'theirs' });
    expect(await simulator.call('deleteMessage', own)).toMatchObject({ ok: true, result: true });
    await simulator.succeed('deleteMessage', { chat_id: chat.id, message_id: message.message_id });
    expect(simulator.control.transcript(chat.id)).toHaveLength(0);
    expect((await simulator.call('deleteMessage', own)).description).toBe('Bad Request: message to delete not found');
  });

  it('refuses messages older than 48 hours', async () => {
    const target = await sendText('old');
    await clock.advance(48 * 3600_000 + 1000);
    expect((await simulator.call('deleteMessage', target)).description).toBe(
      "Bad Request: message can't be deleted for everyone",
    );
  });

  it('in bulk skips missing messages, up to 100 at once', async () => {
    const { message_id } = await sendText('one');
    expect(await simulator.call('deleteMessages', { chat_id: chat.id, message_ids: [message_id, 555] })).toMatchObject({
      ok: true,
    });
    expect(simulator.control.transcript(chat.id)).toHaveLength(0);
    const tooMany = Array.from({ length: 101 }, (_, index) => index + 1);
    expect((await simulator.call('deleteMessages', { chat_id: chat.id, message_ids: tooMany })).status).toBe(400);
  });
});

describe('stopMessageLiveLocation', () => {
  const stop = async (message_id: unknown, chat_id = chat.id) =>
    (await simulator.call('stopMessageLiveLocation', { chat_id, message_id })).description;

  it('finds no live location in a message of the bot, and changes nothing', async () => {
    const { message_id } = await sendText('hello', KEYBOARD);
    expect(await stop(message_id)).toBe('Bad Request: there is no live location in the message to edit');
    expect(simulator.control.transcript(chat.id)[0]).toMatchObject({ edits: 0, message: { reply_markup: KEYBOARD } });
  });

  it('finds no message for an unknown id or an id of another chat', async () => {
    const { message_id } = await sendText('hello');
    const other = simulator.control.createChat({ type: 'private' });
    expect(await stop(Number(message_id) + 1)).toBe('Bad Request: message to edit not found');
    expect(await stop(message_id, other.id)).toBe('Bad Request: message to edit not found');
  });

  it("can't edit messages of others, forwarded messages, and messages with a reply keyboard", async () => {
    const { message } = simulator.control.sendMessage(chat.id, { text: 'mine' });
    const { message_id } = await sendText('hello');
    const forwarded = await simulator.succeed('forwardMessage', {
      chat_id: chat.id,
      from_chat_id: chat.id,
      message_id,
    });
    const asked = await sendText('Which?', { keyboard: [[{ text: 'This' }]] });
    for (const id of [message.message_id, forwarded.message_id, asked.message_id]) {
      expect(await stop(id)).toBe("Bad Request: message can't be edited");
    }
  });
});
