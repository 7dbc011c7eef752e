import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/machine/fake-clock.ts';
import type { ChatView, NewChat } from '../src/control-protocol.ts';
import { makePng, startTestSimulator, type TestSimulator } from './support/simulator.ts';

const clock = createFakeClock();
let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await startTestSimulator({ clock });
});
afterEach(() => simulator.close());

const createChat = (type: NewChat['type'], botStatus: 'member' | 'administrator' = 'administrator'): ChatView =>
  simulator.control.createChat({ type, person: { firstName: 'Ann' }, ...(type === 'private' ? {} : { botStatus }) });

const send = async (chatId: number, text = 'hello') =>
  Number((await simulator.succeed('sendMessage', { chat_id: chatId, text })).message_id);

/** Returns the reason of a refusal without its prefix, undefined if the call succeeds. */
const refusal = async (method: string, params: object) => {
  const { status, description } = await simulator.call(method, { ...params });
  return status === 200 ? undefined : description?.replace(/^Bad Request: /, '');
};

describe.each(['supergroup', 'forum', 'channel'] as const)('message 1 of a %s', (type) => {
  it('is a service message that can only be found', async () => {
    const { id } = createChat(type);
    const named = { chat_id: id, message_id: 1 };
    const copied = { chat_id: id, from_chat_id: id, message_id: 1 };
    for (const allow of [true, false]) {
      const reply = { message_id: 1, allow_sending_without_reply: allow };
      const params = { chat_id: id, text: 'x', reply_parameters: reply };
      expect(await refusal('sendMessage', params)).toBe('REPLY_MESSAGE_ID_INVALID');
    }
    expect(await refusal('forwardMessage', copied)).toBe("the message can't be forwarded");
    expect(await refusal('copyMessage', copied)).toBe("the message can't be copied");
    expect(await refusal('editMessageText', { ...named, text: 'x' })).toBe("message can't be edited");
    expect(await refusal('stopMessageLiveLocation', named)).toBe("message can't be edited");
    expect(await refusal('deleteMessage', named)).toBe("message can't be deleted");
    expect(await refusal('pinChatMessage', named)).toBe("a service message can't be pinned");
    expect(simulator.control.transcript(id)).toEqual([]);
  });
});

it('message 1 is an ordinary id in private chats and basic groups', async () => {
  for (const type of ['private', 'group'] as const) {
    const { id } = createChat(type);
    expect(await refusal('deleteMessage', { chat_id: id, message_id: 1 })).toBe('message to delete not found');
  }
});

it("a service message of the bot's own can't be edited or pinned", async () => {
  const { id } = createChat('supergroup');
  await simulator.succeed('setChatTitle', { chat_id: id, title: 'Other' });
  const announced = simulator.control.transcript(id)[0]?.message.message_id;
  const named = { chat_id: id, message_id: announced };
  expect(await refusal('editMessageReplyMarkup', named)).toBe("message can't be edited");
  expect(await refusal('pinChatMessage', named)).toBe("a service message can't be pinned");
});

describe('reply-target-vanishes', () => {
  it('refuses replies to the message from then on, and sends without them', async () => {
    const { id } = createChat('private');
    const { message_id } = simulator.control.sendMessage(id, { text: 'question' }).message;
    simulator.control.injectFault({ method: 'sendMessage', kind: { type: 'reply-target-vanishes' } });
    const reply_parameters = { message_id, allow_sending_without_reply: true };
    for (let count = 0; count < 2; count++) {
      const reply = { chat_id: id, text: 'answer', reply_parameters };
      expect(await refusal('sendMessage', reply)).toBe('REPLY_MESSAGE_ID_INVALID');
    }
    await send(id);
    expect(simulator.control.transcript(id).map(({ message }) => message.text)).toEqual(['hello']);
  });

  it('can be set through the control route, and has no effect on a call without a reply', async () => {
    const { id } = createChat('private');
    const fault = { method: 'sendMessage', kind: { type: 'reply-target-vanishes' } };
    expect((await simulator.controlRoute('faults', fault)).status).toBe(200);
    await send(id);
    expect(simulator.control.transcript(id)).toHaveLength(1);
  });
});

describe('deleting', () => {
  it.each([
    ['private', "message can't be deleted for everyone"],
    ['group', "message can't be deleted for everyone"],
    ['supergroup', "message can't be deleted"],
    ['channel', "message can't be deleted"],
  ] as const)('is refused after 48 hours in a chat of type %s', async (type, reason) => {
    const { id } = createChat(type);
    const message_id = await send(id);
    await clock.advance(48 * 3600_000 + 1000);
    expect(await refusal('deleteMessage', { chat_id: id, message_id })).toBe(reason);
  });

  it('of several messages is refused as a whole for one that can not be deleted; unknown ids are skipped', async () => {
    const { id } = createChat('supergroup', 'member');
    const own = await send(id);
    const { message_id: other } = simulator.control.sendMessage(id, { text: 'theirs' }).message;
    const remove = (...message_ids: number[]) => refusal('deleteMessages', { chat_id: id, message_ids });
    for (const stays of [1, other]) expect(await remove(own, stays)).toBe("message can't be deleted");
    expect(simulator.control.transcript(id)).toHaveLength(2);
    expect(await remove(own, 555)).toBeUndefined();
    expect(simulator.control.transcript(id).map(({ message }) => message.message_id)).toEqual([other]);
  });

  it('leaves the service message that opens a topic', async () => {
    const { id } = createChat('forum');
    const [topic] = simulator.control.createTopic({ chatId: id, name: 'Cats' }).topics;
    const named = { chat_id: id, message_id: topic?.id };
    expect(await refusal('deleteMessage', named)).toBe("message can't be deleted");
  });
});

describe('a call without a message id', () => {
  it.each([
    ['editMessageText', 'message to edit not found'],
    ['forwardMessage', 'message to forward not found'],
    ['copyMessage', 'message to copy not found'],
    ['deleteMessage', 'message identifier is not specified'],
  ])('is refused: %s', async (method, reason) => {
    const { id } = createChat('private');
    expect(await refusal(method, { chat_id: id, from_chat_id: id, text: 'x' })).toBe(reason);
  });

  it('is refused with the same reason for an edit without a chat', async () => {
    expect(await refusal('editMessageText', { text: 'x' })).toBe('message identifier is not specified');
  });
});

describe('edits', () => {
  it("refuse a text that is too long with Telegram's error message", async () => {
    const { id } = createChat('private');
    const edit = { chat_id: id, message_id: await send(id), text: 'a'.repeat(4097) };
    expect(await refusal('editMessageText', edit)).toBe('MESSAGE_TOO_LONG');
  });

  it.each([
    ['sendSticker', 'sticker'],
    ['sendVideoNote', 'video_note'],
  ])('change only the keyboard of messages that %s sent', async (method, field) => {
    const { id } = createChat('private');
    const file = { bytes: makePng(10, 10), fileName: 'a.webp' };
    const { result } = await simulator.upload(method, { chat_id: id }, { [field]: file });
    const named = { chat_id: id, message_id: Object(result).message_id };
    const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: 'x' }]] };
    for (const edit of ['editMessageText', 'editMessageCaption', 'editMessageMedia', 'stopMessageLiveLocation']) {
      expect(await refusal(edit, { ...named, text: 'x', caption: 'x' })).toBe("message can't be edited");
    }
    expect(await refusal('editMessageReplyMarkup', { ...named, reply_markup })).toBeUndefined();
  });
});

describe('albums', () => {
  it.each([
    [['photo', 'document'], "document can't be mixed with other media types"],
    [['audio', 'photo'], "audio can't be mixed with other media types"],
    [['photo', 'animation'], 'can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup'],
    [['sticker'], 'can\'t parse InputMedia: type "sticker" is unsupported'],
  ])('refuse %s', async (types, reason) => {
    const { id } = createChat('private');
    const media = types.map((type) => ({ type, media: 'attach://file' }));
    expect(await refusal('sendMediaGroup', { chat_id: id, media })).toBe(reason);
  });
});

describe('rich messages', () => {
  const item = (type?: string) => ({ blocks: [{ type: 'paragraph', text: 'x' }], ...(type && { type }) });
  it.each([
    ['no items', [], 'list must be non-empty'],
    ['numbered and plain items', [item('1'), item()], 'list must be either ordered or unordered'],
    ['an unknown type of numbers', [item('x')], 'invalid list item type specified'],
    ['plain items', [item(), item()], undefined],
    ['two kinds of numbers', [item('a'), item('I')], undefined],
  ])('refuse or accept a list with %s', async (_, items, reason) => {
    const { id } = createChat('private');
    const rich_message = { blocks: [{ type: 'list', items }] };
    expect(await refusal('sendRichMessage', { chat_id: id, rich_message })).toBe(reason);
  });

  it.each([[undefined], [{}], [{ blocks: [] }], [{ markdown: '' }]])('can not be empty: %j', async (rich_message) => {
    const { id } = createChat('private');
    expect(await refusal('sendRichMessage', { chat_id: id, rich_message })).toBe('rich message must be non-empty');
  });
});

it('messages of chats that protect their content can not be forwarded or copied', async () => {
  const { id } = simulator.control.createChat({ type: 'channel', protectsContent: true });
  const named = { chat_id: id, from_chat_id: id, message_id: await send(id) };
  expect(await refusal('forwardMessage', named)).toBe("the message can't be forwarded");
  expect(await refusal('copyMessage', named)).toBe("the message can't be copied");
});

describe('a chat that is deleted', () => {
  it.each([
    ['private', 'Forbidden: user is deactivated'],
    ['group', 'Forbidden: the group chat was deleted'],
  ] as const)("refuses the bot's messages: %s", async (type, description) => {
    const { id } = createChat(type);
    const { body } = await simulator.controlRoute(`chats/${id}/delete`, {});
    expect(body).toMatchObject({ id, isDeleted: true });
    const sent = await simulator.call('sendMessage', { chat_id: id, text: 'x' });
    expect(sent).toMatchObject({ status: 403, description });
    expect(() => simulator.control.sendMessage(id, { text: 'x' })).toThrow('deleted');
  });

  it('is a private chat or a basic group', () => {
    expect(() => simulator.control.deleteChat(createChat('channel').id)).toThrow("a channel can't be deleted here");
  });
});

describe('an older server', () => {
  const blocks = [{ type: 'paragraph', text: 'x' }];
  const restart = async (botApiVersion: '10.0' | '10.1') => {
    await simulator.close();
    simulator = await startTestSimulator({ clock, botApiVersion });
    const { id } = createChat('private');
    return { chat_id: id, message_id: await send(id), draft_id: 1 };
  };

  it('10.0 does not support rich messages', async () => {
    const named = await restart('10.0');
    for (const method of ['sendRichMessage', 'sendrichmessagedraft']) {
      const answer = await simulator.call(method, { ...named, rich_message: { markdown: 'x' } });
      expect(answer).toMatchObject({ status: 404, description: 'Not Found: method not found' });
    }
    const edit = { ...named, rich_message: { markdown: 'x' } };
    expect(await refusal('editMessageText', edit)).toBe('message text is empty');
  });

  it('10.1 does not support blocks', async () => {
    const named = await restart('10.1');
    for (const method of ['sendRichMessage', 'sendRichMessageDraft', 'editMessageText']) {
      expect(await refusal(method, { ...named, rich_message: { blocks } })).toBe('rich message must be non-empty');
      expect(await refusal(method, { ...named, rich_message: { markdown: 'x' } })).toBeUndefined();
    }
  });
});
