import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.close());

const bot = { id: 7_000_001 };

function openGroup() {
  const owner = simulator.control.createPerson({ firstName: 'Ann' });
  const member = simulator.control.createPerson({ firstName: 'Bob' });
  const memberIds = [owner.id, member.id];
  const chat = simulator.control.createChat({
    type: 'supergroup',
    title: 'Bells',
    memberIds,
    botStatus: 'administrator',
  });
  return { chat_id: chat.id, owner, member };
}

describe('what is neither text nor a file', () => {
  it.each([
    ['sendLocation', { latitude: 41.9, longitude: '12.5' }, { location: { latitude: 41.9, longitude: 12.5 } }],
    [
      'sendVenue',
      { latitude: 1, longitude: 2, title: 'Tower', address: 'Square 1', foursquare_id: 'f' },
      { venue: { title: 'Tower', address: 'Square 1', foursquare_id: 'f' }, location: { latitude: 1, longitude: 2 } },
    ],
    [
      'sendContact',
      { phone_number: '+39 1', first_name: 'Cleo', last_name: 'B' },
      { contact: { phone_number: '+39 1', first_name: 'Cleo', last_name: 'B' } },
    ],
    ['sendDice', {}, { dice: { emoji: '🎲', value: expect.any(Number) } }],
    ['sendDice', { emoji: '🎰' }, { dice: { emoji: '🎰', value: expect.any(Number) } }],
    [
      'sendPoll',
      { question: 'Tea?', options: ['Yes', { text: 'No' }], is_anonymous: false },
      {
        poll: {
          question: 'Tea?',
          options: [
            { text: 'Yes', voter_count: 0 },
            { text: 'No', voter_count: 0 },
          ],
          is_anonymous: false,
          is_closed: false,
          type: 'regular',
        },
      },
    ],
    [
      'sendPoll',
      { question: 'Tea?', options: '["Yes","No"]', type: 'quiz', correct_option_id: 1, explanation: 'Coffee' },
      { poll: { type: 'quiz', correct_option_ids: [1], explanation: 'Coffee' } },
    ],
  ])('is sent by %s with %o', async (method, params, expected) => {
    const { id: chat_id } = simulator.control.createChat({ type: 'private' });
    const sent = await simulator.succeed(method, { chat_id, ...params, reply_markup: { force_reply: true } });
    expect(sent).toMatchObject({ ...expected, from: bot, chat: { id: chat_id } });
    expect(simulator.control.transcript(chat_id).at(-1)?.message).toMatchObject(expected);
    const copied = await simulator.succeed('forwardMessage', {
      chat_id,
      from_chat_id: chat_id,
      message_id: sent.message_id,
    });
    expect(copied).toMatchObject(expected);
  });

  it.each([
    ['sendLocation', { longitude: 1 }, 'latitude is empty'],
    ['sendLocation', { latitude: 91, longitude: 1 }, 'wrong location specified'],
    ['sendDice', { emoji: '🔔' }, 'wrong dice emoji specified'],
    ['sendPoll', { options: ['a', 'b'] }, 'poll question must be non-empty'],
    ['sendPoll', { question: 'Tea?', options: ['a'] }, 'poll must have at least 2 option'],
    ['sendPoll', { question: 'Tea?', options: Array(13).fill('a') }, "poll can't have more than 12 options"],
    ['sendPoll', { question: 'Tea?', options: ['a', ''] }, 'poll options must be non-empty'],
    ['sendPoll', { question: 'Tea?', options: ['a', 'b'], type: 'quiz' }, 'wrong correct option ID specified'],
  ])('is refused by %s with %o', async (method, params, reason) => {
    const { id: chat_id } = simulator.control.createChat({ type: 'private' });
    const refused = await simulator.call(method, { chat_id, ...params });
    expect(refused).toMatchObject({ status: 400, description: `Bad Request: ${reason}` });
  });

  it('shows all values of a die', async () => {
    const { id: chat_id } = simulator.control.createChat({ type: 'private' });
    const values = new Set<unknown>();
    for (let throws = 0; throws < 200; throws++) {
      const { dice } = (await simulator.succeed('sendDice', { chat_id, emoji: '⚽️' })) as { dice: { value: number } };
      values.add(dice.value);
    }
    expect([...values].sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('is closed by stopPoll once', async () => {
    const { chat_id } = openGroup();
    const button = { text: 'More', callback_data: 'more' };
    const poll = { chat_id, question: 'Tea?', options: ['Yes', 'No'], reply_markup: { inline_keyboard: [[button]] } };
    const { message_id } = await simulator.succeed('sendPoll', poll);
    expect(await simulator.succeed('stopPoll', { chat_id, message_id })).toMatchObject({ is_closed: true });
    const shown = simulator.control.transcript(chat_id).at(-1)?.message;
    expect(shown).toMatchObject({ poll: { is_closed: true } });
    expect(shown).not.toHaveProperty('reply_markup');
    expect(await simulator.call('stopPoll', { chat_id, message_id })).toMatchObject({
      description: 'Bad Request: poll has already been closed',
    });
  });
});

describe('a restricted member', () => {
  it('is reported with what remains allowed, until the restriction is lifted', async () => {
    const { chat_id, member } = openGroup();
    await simulator.call('getUpdates', { allowed_updates: ['chat_member'], timeout: 0 });
    const user_id = member.id;
    await simulator.succeed('restrictChatMember', { chat_id, user_id, permissions: { can_send_messages: true } });
    expect(await simulator.succeed('getChatMember', { chat_id, user_id })).toMatchObject({
      status: 'restricted',
      can_send_messages: true,
      can_send_photos: false,
      until_date: 0,
    });
    const changes = (await simulator.call('getUpdates', { timeout: 0 })).result as unknown[];
    expect(changes.at(-1)).toMatchObject({
      chat_member: { old_chat_member: { status: 'member' }, new_chat_member: { status: 'restricted' } },
    });
    const {
      status: _,
      user: __,
      is_member: ___,
      until_date: ____,
      ...all
    } = await simulator.succeed('getChatMember', { chat_id, user_id });
    const permissions = Object.fromEntries(Object.keys(all).map((name) => [name, true]));
    await simulator.succeed('restrictChatMember', { chat_id, user_id, permissions: JSON.stringify(permissions) });
    expect(await simulator.succeed('getChatMember', { chat_id, user_id })).toMatchObject({ status: 'member' });
  });

  it('is a member of a supergroup, and not its owner', async () => {
    const { chat_id, owner } = openGroup();
    const permissions = {};
    const restrict = (params: object) => simulator.call('restrictChatMember', { permissions, ...params });
    expect((await restrict({ chat_id, user_id: owner.id })).description).toBe("Bad Request: can't remove chat owner");
    expect((await restrict({ chat_id, user_id: 1 })).description).toBe('Bad Request: PARTICIPANT_ID_INVALID');
    const group = simulator.control.createChat({ type: 'group', botStatus: 'administrator' });
    expect((await restrict({ chat_id: group.id, user_id: owner.id })).description).toBe(
      'Bad Request: method is available only for supergroups',
    );
    const other = simulator.control.createChat({ type: 'supergroup', botStatus: 'member' });
    expect((await restrict({ chat_id: other.id, user_id: owner.id })).description).toMatch(/not enough rights/);
  });
});

describe('an invite link', () => {
  it('is created, edited and revoked', async () => {
    const { chat_id } = openGroup();
    const link = await simulator.succeed('createChatInviteLink', { chat_id, name: 'Friends', member_limit: 5 });
    expect(link).toMatchObject({
      creator: bot,
      name: 'Friends',
      member_limit: 5,
      is_primary: false,
      is_revoked: false,
    });
    expect(link.invite_link).toMatch(/^https:\/\/t\.me\/\+[\w-]{16}$/);
    const { invite_link } = link;
    const edited = await simulator.succeed('editChatInviteLink', { chat_id, invite_link, creates_join_request: true });
    expect(edited).toMatchObject({ invite_link, creates_join_request: true });
    expect(edited).not.toHaveProperty('member_limit');
    expect(await simulator.succeed('revokeChatInviteLink', { chat_id, invite_link })).toMatchObject({
      is_revoked: true,
    });
    expect(await simulator.call('revokeChatInviteLink', { chat_id, invite_link })).toMatchObject({
      description: 'Bad Request: INVITE_HASH_EXPIRED',
    });
  });

  it('that is primary is replaced by a new one', async () => {
    const { chat_id } = openGroup();
    const first = (await simulator.succeed('exportChatInviteLink', { chat_id })).value;
    const second = (await simulator.succeed('exportChatInviteLink', { chat_id })).value;
    expect(second).not.toBe(first);
    expect(await simulator.call('revokeChatInviteLink', { chat_id, invite_link: first })).toMatchObject({
      status: 400,
    });
    expect(await simulator.succeed('revokeChatInviteLink', { chat_id, invite_link: second })).toMatchObject({
      is_revoked: true,
    });
  });

  it('is forgotten when a thousand others have been created since', async () => {
    const { chat_id } = openGroup();
    const create = async () => String((await simulator.succeed('createChatInviteLink', { chat_id })).invite_link);
    const [oldest, second] = [await create(), await create()];
    for (let count = 2; count <= 1000; count += 1) await create();
    const edit = async (invite_link: string) =>
      (await simulator.call('editChatInviteLink', { chat_id, invite_link })).status;
    expect(await edit(oldest)).toBe(400);
    expect(await edit(second)).toBe(200);
  });

  it('needs an administrator, and a chat that others can join', async () => {
    const member = simulator.control.createChat({ type: 'supergroup', botStatus: 'member' });
    const alone = simulator.control.createChat({ type: 'private' });
    for (const method of ['createChatInviteLink', 'exportChatInviteLink']) {
      expect((await simulator.call(method, { chat_id: member.id })).description).toMatch(/not enough rights/);
      expect((await simulator.call(method, { chat_id: alone.id })).status).toBe(400);
    }
    const { chat_id } = openGroup();
    const both = { chat_id, member_limit: 5, creates_join_request: true };
    expect((await simulator.call('createChatInviteLink', both)).status).toBe(400);
  });
});
