import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => simulator.close());

const BOT_ID = 7000001;
const texts = () =>
  simulator.control.pendingUpdates().flatMap(({ message, channel_post }) => (message ?? channel_post)?.text ?? []);

describe('a group', () => {
  it('delivers all messages to the bot while privacy mode is off', () => {
    const { id } = simulator.control.createChat({ type: 'group', title: 'Team', person: { firstName: 'Ann' } });
    simulator.control.sendMessage(id, { text: 'hello all' });
    simulator.control.sendMessage(id, { text: 'hello @test_bot' });
    expect(texts()).toEqual(['hello all', 'hello @test_bot']);
  });

  it('delivers only commands and replies while privacy mode is on', async () => {
    simulator.control.configureBot({ privacyMode: true });
    const { id } = simulator.control.createChat({ type: 'supergroup', title: 'Team', person: { firstName: 'Ann' } });
    const own = await simulator.succeed('sendMessage', { chat_id: id, text: 'I am the bot' });
    simulator.control.sendMessage(id, { text: 'hello all' });
    simulator.control.sendMessage(id, { text: 'hello @test_bot' });
    simulator.control.sendMessage(id, { text: '/help' });
    simulator.control.sendMessage(id, { text: '/help@test_bot' });
    simulator.control.sendMessage(id, { text: '/help@other_bot' });
    simulator.control.sendMessage(id, { text: 'to you', replyTo: Number(own.message_id) });
    expect(texts()).toEqual(['/help', '/help@test_bot', 'to you']);
    simulator.control.changeBot(id, { action: 'promote' });
    simulator.control.sendMessage(id, { text: 'to an administrator' });
    expect(texts().at(-1)).toBe('to an administrator');
  });

  it('delivers mentions despite privacy mode if the bot is set so', async () => {
    await simulator.close();
    const bot = { token: '7000001:secret', username: 'test_bot', firstName: 'B', privacyMode: true };
    simulator = await startTestSimulator({ bots: [{ ...bot, mentionsPassPrivacy: true }] });
    const { id } = simulator.control.createChat({ type: 'group', person: { firstName: 'Ann' } });
    simulator.control.sendMessage(id, { text: 'hello all' });
    simulator.control.sendMessage(id, { text: 'hello @Test_Bot' });
    simulator.control.sendMessage(id, { text: 'hello @test_bot_two' });
    expect(texts()).toEqual(['hello @Test_Bot']);
  });

  it('refuses a bot that was removed', async () => {
    const { id } = simulator.control.createChat({ type: 'supergroup', person: { firstName: 'Ann' } });
    simulator.control.changeBot(id, { action: 'remove' });
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      my_chat_member: { old_chat_member: { status: 'member' }, new_chat_member: { status: 'kicked' } },
    });
    expect(await simulator.call('sendMessage', { chat_id: id, text: 'x' })).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was kicked from the supergroup chat',
    });
    simulator.control.sendMessage(id, { text: 'unheard' });
    expect(texts()).toEqual([]);
  });

  it('is left by leaveChat', async () => {
    const { id } = simulator.control.createChat({ type: 'group', person: { firstName: 'Ann' } });
    await simulator.succeed('leaveChat', { chat_id: id });
    expect((await simulator.call('sendMessage', { chat_id: id, text: 'x' })).description).toBe(
      'Forbidden: bot is not a member of the group chat',
    );
  });

  it('reports the status of its members', async () => {
    const ann = simulator.control.createPerson({ firstName: 'Ann' });
    const bob = simulator.control.createPerson({ firstName: 'Bob' });
    const { id } = simulator.control.createChat({
      type: 'supergroup',
      memberIds: [ann.id],
      botStatus: 'administrator',
    });
    const status = async (user_id: number) =>
      (await simulator.succeed('getChatMember', { chat_id: id, user_id })).status;
    expect([await status(ann.id), await status(bob.id), await status(BOT_ID)]).toEqual([
      'creator',
      'left',
      'administrator',
    ]);
    simulator.control.changeMember(id, { action: 'join', personId: bob.id });
    expect(await status(bob.id)).toBe('member');
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      message: { new_chat_members: [{ id: bob.id }] },
    });
    const administrators = await simulator.call('getChatAdministrators', { chat_id: id });
    expect(administrators.result).toMatchObject([{ status: 'creator' }, { status: 'administrator' }]);
    expect((await simulator.call('getChatMemberCount', { chat_id: id })).result).toBe(3);
  });

  it('lets administrators pin', async () => {
    const { id } = simulator.control.createChat({ type: 'supergroup', person: { firstName: 'Ann' } });
    const { message } = simulator.control.sendMessage(id, { text: 'important' });
    const pin = { chat_id: id, message_id: message.message_id };
    expect((await simulator.call('pinChatMessage', pin)).description).toBe(
      'Bad Request: not enough rights to manage pinned messages in the chat',
    );
    simulator.control.changeBot(id, { action: 'promote' });
    await simulator.succeed('pinChatMessage', pin);
    expect(await simulator.succeed('getChat', { chat_id: id })).toMatchObject({
      pinned_message: { text: 'important' },
    });
    await simulator.succeed('unpinChatMessage', pin);
    expect(await simulator.succeed('getChat', { chat_id: id })).not.toHaveProperty('pinned_message');
  });
});

describe('a channel', () => {
  it('accepts posts of administrators only', async () => {
    const { id } = simulator.control.createChat({ type: 'channel', title: 'News', username: 'news_channel' });
    const post = await simulator.succeed('sendMessage', { chat_id: '@news_channel', text: 'post' });
    expect(post).toMatchObject({ sender_chat: { id }, chat: { id, type: 'channel', username: 'news_channel' } });
    expect(post).not.toHaveProperty('from');
    simulator.control.sendMessage(id, { text: 'by a person' });
    expect(simulator.control.pendingUpdates()).toMatchObject([{ channel_post: { text: 'by a person' } }]);
    const other = simulator.control.createChat({ type: 'channel', botStatus: 'member' });
    expect((await simulator.call('sendMessage', { chat_id: other.id, text: 'x' })).description).toBe(
      'Bad Request: need administrator rights in the channel chat',
    );
  });
});

describe('a private chat', () => {
  it('refuses the bot while the user has blocked it', async () => {
    const { id } = simulator.control.createChat({ type: 'private' });
    simulator.control.changeBot(id, { action: 'block' });
    expect(await simulator.call('sendMessage', { chat_id: id, text: 'x' })).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was blocked by the user',
    });
    expect(simulator.control.pendingUpdates()).toMatchObject([
      { my_chat_member: { new_chat_member: { status: 'kicked' } } },
    ]);
    simulator.control.changeBot(id, { action: 'unblock' });
    expect((await simulator.call('sendMessage', { chat_id: id, text: 'x' })).ok).toBe(true);
  });

  it('delivers edits', () => {
    const { id } = simulator.control.createChat({ type: 'private' });
    const { message } = simulator.control.sendMessage(id, { text: 'helo' });
    simulator.control.editMessage(id, message.message_id, { text: 'hello' });
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      edited_message: { message_id: message.message_id, text: 'hello', edit_date: expect.any(Number) },
    });
  });

  it('is separate for each bot', async () => {
    await simulator.close();
    const bots = [7000001, 7000002].map((id) => ({ token: `${id}:secret`, username: `bot_${id}`, firstName: 'B' }));
    simulator = await startTestSimulator({ bots });
    const ann = simulator.control.createPerson({ firstName: 'Ann' });
    for (const { token } of bots) {
      simulator.control.createChat({ type: 'private', memberIds: [ann.id] }, Number.parseInt(token, 10));
    }
    await simulator.succeed('sendMessage', { chat_id: ann.id, text: 'from the first' });
    expect(simulator.control.transcript(ann.id)).toHaveLength(1);
    expect(simulator.control.transcript(ann.id, 7000002)).toHaveLength(0);
  });
});

describe('topics', () => {
  it('of a forum are opened by either side and contain messages', async () => {
    const { id } = simulator.control.createChat({
      type: 'forum',
      person: { firstName: 'Ann' },
      botStatus: 'administrator',
    });
    const topic = await simulator.succeed('createForumTopic', { chat_id: id, name: 'Ideas' });
    const message_thread_id = topic.message_thread_id;
    const sent = await simulator.succeed('sendMessage', { chat_id: id, message_thread_id, text: 'in it' });
    expect(sent).toMatchObject({ message_thread_id, is_topic_message: true });
    const reply = { chat_id: id, text: 'stays in it', reply_parameters: { message_id: sent.message_id } };
    expect(await simulator.succeed('sendMessage', reply)).toMatchObject({ message_thread_id });
    const view = simulator.control.createTopic({ chatId: id, name: 'Questions' });
    const questions = view.topics.find(({ name }) => name === 'Questions');
    simulator.control.sendMessage(id, { text: 'why?', topicId: questions?.id ?? 0 });
    expect(simulator.control.pendingUpdates().at(-1)).toMatchObject({
      message: { text: 'why?', message_thread_id: questions?.id, is_topic_message: true },
    });
    await simulator.succeed('deleteForumTopic', { chat_id: id, message_thread_id });
    expect(simulator.control.transcript(id).some(({ message }) => message.text === 'in it')).toBe(false);
  });

  it('can be renamed, closed and reopened, but not twice', async () => {
    const { id } = simulator.control.createChat({ type: 'private', topics: true });
    const { topics } = simulator.control.createTopic({ chatId: id, name: 'Old' });
    const place = { chat_id: id, message_thread_id: topics[0]?.id };
    await simulator.succeed('editForumTopic', { ...place, name: 'New' });
    await simulator.succeed('closeForumTopic', place);
    expect((await simulator.call('closeForumTopic', place)).description).toBe('Bad Request: TOPIC_NOT_MODIFIED');
    expect(simulator.control.state().chats[0]?.topics).toEqual([{ id: topics[0]?.id, name: 'New', isClosed: true }]);
    await simulator.succeed('reopenForumTopic', place);
  });

  it('can be renamed by the bot that opened them, also when it is no administrator any more', async () => {
    const { id } = simulator.control.createChat({
      type: 'forum',
      person: { firstName: 'Ann' },
      botStatus: 'administrator',
    });
    const own = await simulator.succeed('createForumTopic', { chat_id: id, name: 'Own' });
    const { topics } = simulator.control.createTopic({ chatId: id, name: 'New chat', isNameImplicit: true });
    expect(simulator.control.pendingUpdates().at(-1)?.message?.forum_topic_created).toMatchObject({
      name: 'New chat',
      is_name_implicit: true,
    });
    simulator.control.changeBot(id, { action: 'demote' });
    const rename = (topicId: number | undefined) =>
      simulator.call('editForumTopic', { chat_id: id, message_thread_id: topicId, name: 'Better' });
    expect((await rename(Number(own.message_thread_id))).ok).toBe(true);
    const other = topics.find(({ name }) => name === 'New chat');
    expect((await rename(other?.id)).description).toBe('Bad Request: not enough rights to manage topics');
    const another = await simulator.call('createForumTopic', { chat_id: id, name: 'More' });
    expect(another.description).toBe('Bad Request: not enough rights to manage topics');
  });

  it('number 1 is General: chat actions may name it, messages must not', async () => {
    const { id } = simulator.control.createChat({ type: 'forum', person: { firstName: 'Ann' } });
    const place = { chat_id: id, message_thread_id: 1 };
    expect((await simulator.call('sendChatAction', { ...place, action: 'typing' })).ok).toBe(true);
    expect((await simulator.call('sendMessage', { ...place, text: 'x' })).description).toBe(
      'Bad Request: message thread not found',
    );
  });
});

describe('reactions', () => {
  it('of a bot are one known emoji', async () => {
    const { id } = simulator.control.createChat({ type: 'private' });
    const { message } = simulator.control.sendMessage(id, { text: 'x' });
    const react = (...emoji: string[]) =>
      simulator.call('setMessageReaction', {
        chat_id: id,
        message_id: message.message_id,
        reaction: emoji.map((one) => ({ type: 'emoji', emoji: one })),
      });
    expect((await react('👀')).ok).toBe(true);
    expect(simulator.control.transcript(id)[0]?.reactions).toEqual([{ userId: BOT_ID, emoji: ['👀'] }]);
    expect((await react('🧦')).description).toBe('Bad Request: REACTION_INVALID');
    expect((await react('👍', '👎')).description).toBe('Bad Request: REACTIONS_TOO_MANY');
    await react();
    expect(simulator.control.transcript(id)[0]?.reactions).toEqual([]);
  });
});

describe("a bot's profile", () => {
  it('has commands by scope and language', async () => {
    const commands = [{ command: 'start', description: 'Begin' }];
    await simulator.succeed('setMyCommands', { commands });
    const inRussian = { commands: [{ command: 'start', description: 'Начать' }], language_code: 'ru' };
    await simulator.succeed('setMyCommands', { ...inRussian, scope: { type: 'all_private_chats' } });
    expect((await simulator.call('getMyCommands')).result).toEqual(commands);
    expect((await simulator.call('getMyCommands', { language_code: 'ru' })).result).toEqual([]);
    expect(simulator.control.state().bot.commandSets).toHaveLength(2);
    await simulator.succeed('deleteMyCommands');
    expect((await simulator.call('getMyCommands')).result).toEqual([]);
    const tooMany = Array.from({ length: 101 }, (_, index) => ({ command: `c${index}`, description: 'x' }));
    expect((await simulator.call('setMyCommands', { commands: tooMany })).description).toBe(
      'Bad Request: BOT_COMMANDS_TOO_MUCH',
    );
  });

  it('has a name and descriptions by language', async () => {
    await simulator.succeed('setMyDescription', { description: 'Hello' });
    await simulator.succeed('setMyDescription', { description: 'Привет', language_code: 'ru' });
    expect(await simulator.succeed('getMyDescription', { language_code: 'ru' })).toEqual({ description: 'Привет' });
    expect(await simulator.succeed('getMyDescription', { language_code: 'de' })).toEqual({ description: 'Hello' });
    await simulator.succeed('setMyName', { name: 'New Name' });
    expect(await simulator.succeed('getMe')).toMatchObject({ first_name: 'New Name' });
    expect((await simulator.call('setMyShortDescription', { short_description: 'a'.repeat(121) })).status).toBe(400);
  });
});

describe('a group that becomes a supergroup', () => {
  const UPGRADED = 'Bad Request: group chat was upgraded to a supergroup chat';
  const upgrade = async () => {
    const group = simulator.control.createChat({ type: 'group', title: 'Friends', person: { firstName: 'Ann' } });
    const { message_id } = await simulator.succeed('sendMessage', { chat_id: group.id, text: 'before' });
    const supergroup = simulator.control.upgradeGroup(group.id);
    return { group, supergroup, message_id };
  };

  it('is another chat with the same users, and both contain a service message', async () => {
    const { group, supergroup } = await upgrade();
    expect(supergroup).toMatchObject({ type: 'supergroup', title: 'Friends', memberIds: group.memberIds });
    expect(supergroup.id).toBeLessThan(-1_000_000_000_000);
    const updates = simulator.control.pendingUpdates().slice(-2);
    expect(updates).toMatchObject([
      { message: { chat: { id: group.id, type: 'group' }, migrate_to_chat_id: supergroup.id } },
      { message: { chat: { id: supergroup.id, type: 'supergroup' }, migrate_from_chat_id: group.id } },
    ]);
    const [view] = simulator.control.state().chats.filter(({ id }) => id === group.id);
    expect(view?.upgradedToId).toBe(supergroup.id);
  });

  it('accepts messages under its new id, and reports it under the old one', async () => {
    const { group, supergroup, message_id } = await upgrade();
    const calls = {
      sendMessage: { text: 'after' },
      sendChatAction: { action: 'typing' },
      deleteMessage: { message_id },
    };
    for (const [method, params] of Object.entries(calls)) {
      const answer = await fetch(`${simulator.url}/bot${simulator.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: group.id, ...params }),
      });
      expect(await answer.json()).toEqual({
        ok: false,
        error_code: 400,
        description: UPGRADED,
        parameters: { migrate_to_chat_id: supergroup.id },
      });
    }
    expect((await simulator.call('sendMessage', { chat_id: supergroup.id, text: 'after' })).ok).toBe(true);
  });

  it('keeps its old messages, which can be read, but not changed', async () => {
    const { group, supergroup, message_id } = await upgrade();
    const edit = { chat_id: group.id, message_id, text: 'after' };
    expect((await simulator.call('editMessageText', edit)).description).toBe("Bad Request: message can't be edited");
    expect((await simulator.call('getChat', { chat_id: group.id })).ok).toBe(true);
    const forward = { chat_id: supergroup.id, from_chat_id: group.id, message_id };
    expect((await simulator.call('forwardMessage', forward)).ok).toBe(true);
    expect(() => simulator.control.sendMessage(group.id, { text: 'hello?' })).toThrow('has become a supergroup');
    expect(() => simulator.control.upgradeGroup(group.id)).toThrow('a supergroup already');
    expect(() => simulator.control.upgradeGroup(supergroup.id)).toThrow("can't become a supergroup");
  });
});
