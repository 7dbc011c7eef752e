import { eq, gte } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { broadcastRecipients, broadcasts, users as peopleTable } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';

let harness: BotHarness;
afterEach(() => harness.close());

/** Creates users who have written to the bot and received an answer. */
const setStage = async (...names: readonly string[]) => {
  harness = await createBotHarness();
  const chief = harness.operator('Chief');
  const users = names.map((name) => harness.user(name));
  for (const person of users) {
    person.writes('Hello');
    await harness.sees(person.chatId, 'You said: Hello');
  }
  return { chief, users };
};
/** Telegram ids of users who exist in the database only. */
const FIRST_ADDED = 70_000_000;
const addUsers = (count: number) =>
  harness.db.insert(peopleTable).values(Array.from({ length: count }, (_, at) => ({ telegramId: FIRST_ADDED + at })));
const removeUsers = () => harness.db.delete(peopleTable).where(gte(peopleTable.telegramId, FIRST_ADDED));
type Stage = Awaited<ReturnType<typeof setStage>>;
const last = ({ chatId }: Stage['chief']) => harness.lines(chatId).at(-1);
/** Broadcasts a text at the default pace and waits until it has finished. */
const announce = async (chief: Stage['chief'], text: string, count: number) => {
  chief.writes(`/announce ${text}`);
  await expect.poll(() => last(chief)).toMatch(`Send it to ${count === 1 ? '1 user' : `${count} users`}?`);
  await chief.presses(`Send (${count === 1 ? '1 second' : `${count} seconds`})`);
  await expect.poll(() => last(chief)).toMatch(/^Bot: Announcement finished/);
};
const callsTo = (chatId: number) =>
  harness.telegram.calls('copyMessage').filter(({ params }) => params['chat_id'] === chatId);
const isOver = ({ chatId }: Stage['chief']) => harness.sees(chatId, /^Announcement finished/);

describe('/announce', () => {
  test('asks for the message, shows a preview, sends it once to each user, and reports the result', async () => {
    const { chief, users } = await setStage('Ann', 'Bob', 'Cid');
    chief.writes('/announce');
    await harness.sees(chief.chatId, /^What should I announce\?/);
    chief.writes('Maintenance tonight', { entities: [{ type: 'bold', offset: 0, length: 11 }] });
    await harness.sees(chief.chatId, /^This is how it looks\. Send it to 3 users\?/);
    expect(await chief.presses('Send (3 seconds)')).toBe('');
    await isOver(chief);
    await harness.shows(chief.chatId, [
      'Chief: /announce',
      'Bot: What should I announce? Send me the message exactly as everyone should get it: a text, a photo, anything.',
      'Chief: Maintenance tonight',
      'Bot: Maintenance tonight',
      'Bot: The announcement is sent.\n\nSent: 3',
      'Bot: Announcement finished: 3 users received it.',
    ]);
    for (const person of users) {
      const said = harness.telegram.transcript(person.chatId).map(({ message }) => message);
      expect(said.map(({ text }) => text)).toEqual(['Hello', 'You said: Hello', 'Maintenance tonight']);
      expect(said.at(-1)?.entities).toEqual([{ type: 'bold', offset: 0, length: 11 }]);
    }
    // The list of recipients is deleted when the broadcast has finished.
    expect(await harness.db.select().from(broadcastRecipients)).toEqual([]);
    expect(await harness.db.select().from(broadcasts)).toMatchObject([
      { state: 'done', counts: { sent: 3, waiting: 0 } },
    ]);
  });

  test('takes the text after the command with its formatting, a captioned image, or the replied-to message', async () => {
    const { chief, users } = await setStage('Ann');
    const [ann] = users;
    if (!ann) throw new Error('nobody is there');
    chief.writes('/announce  New: pictures', {
      entities: [
        { type: 'bot_command', offset: 0, length: 9 },
        { type: 'italic', offset: 11, length: 4 },
      ],
    });
    await harness.sees(chief.chatId, /^This is how it looks/);
    await chief.presses('Send (1 second)');
    await isOver(chief);
    expect(harness.telegram.transcript(ann.chatId).at(-1)?.message).toMatchObject({
      text: 'New: pictures',
      entities: [{ type: 'italic', offset: 0, length: 4 }],
    });
    chief.sends({ kind: 'photo', caption: '/announce Look!' });
    await expect.poll(() => last(chief)).toMatch(/^Bot: This is how it looks/);
    await chief.presses('Send (1 second)');
    await expect.poll(() => last(ann)).toBe('Bot: (photo) Look!');
    await expect.poll(() => last(chief)).toMatch(/^Bot: Announcement finished/);
    const note = chief.writes('A note');
    await harness.sees(chief.chatId, 'You said: A note');
    await expect.poll(() => last(chief)).toMatch(/^Bot: You said: A note/);
    chief.writes('/announce', { replyTo: note });
    await expect.poll(() => last(chief)).toMatch(/^Bot: This is how it looks/);
    expect(harness.lines(chief.chatId).at(-2)).toBe('Bot: A note');
    await chief.presses('Cancel');
    await expect.poll(() => last(chief)).toBe('Bot: Not sent.');
    expect(harness.lines(ann.chatId)).not.toContain('Bot: A note');
  });

  test('skips users who blocked the bot until they write again, and banned users', async () => {
    const { chief, users } = await setStage('Ann', 'Bob', 'Cid', 'Dan');
    const [ann, bob, cid, dan] = users;
    if (!ann || !bob || !cid || !dan) throw new Error('nobody is there');
    chief.writes(`/ban ${dan.id}`);
    await harness.sees(chief.chatId, /is banned/);
    // Telegram reports Ann's block in an update; Bob's shows as an error of the send.
    harness.telegram.changeBot(ann.chatId, { action: 'block' });
    await expect.poll(() => harness.broadcasts.countReachableUsers(chief.id)).toBe(2);
    harness.telegram.injectFault({
      method: 'copyMessage',
      match: { chat_id: bob.chatId },
      kind: { type: 'bot-blocked' },
    });
    await announce(chief, 'One', 2);
    expect(harness.lines(chief.chatId).at(-2)).toBe('Bot: The announcement is sent.\n\nSent: 1\nBlocked the bot: 1');
    await announce(chief, 'Two', 1);
    harness.telegram.changeBot(ann.chatId, { action: 'unblock' });
    harness.telegram.changeBot(bob.chatId, { action: 'unblock' });
    await expect.poll(() => harness.broadcasts.countReachableUsers(chief.id)).toBe(3);
    await harness.db
      .update(peopleTable)
      .set({ unreachableSince: new Date() })
      .where(eq(peopleTable.telegramId, bob.id));
    bob.writes('I am back');
    await harness.sees(bob.chatId, 'You said: I am back');
    await announce(chief, 'Three', 3);
    const heard = [ann, bob, cid, dan].map(({ chatId }) =>
      harness.lines(chatId).filter((line) => /^Bot: (One|Two|Three)$/.test(line)),
    );
    expect(heard).toEqual([['Bot: Three'], ['Bot: Three'], ['Bot: One', 'Bot: Two', 'Bot: Three'], []]);
  });

  test('honours retry_after, sends nothing twice, and reports unknown deliveries', async () => {
    const { chief, users } = await setStage('Ann', 'Bob', 'Cid');
    const [ann, bob, cid] = users;
    if (!ann || !bob || !cid) throw new Error('nobody is there');
    harness.telegram.injectFault({
      method: 'copyMessage',
      match: { chat_id: ann.chatId },
      kind: { type: 'flood', retryAfterSeconds: 8 },
    });
    harness.telegram.injectFault({
      method: 'copyMessage',
      match: { chat_id: bob.chatId },
      kind: { type: 'reset-after' },
    });
    await announce(chief, 'Careful', 3);
    expect(harness.lines(chief.chatId).at(-2)).toBe(
      'Bot: The announcement is sent.\n\nSent: 2\nDelivery unknown: 1 (not sent again)',
    );
    for (const { chatId } of users)
      expect(harness.lines(chatId).filter((line) => line === 'Bot: Careful')).toHaveLength(1);
    const [, again] = callsTo(ann.chatId);
    const [first] = callsTo(ann.chatId);
    expect((again?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(8000);
  });

  test('can be paused, resumed and cancelled, runs one broadcast at a time, and is in the audit log', async () => {
    const { chief, users } = await setStage('Ann', 'Bob', 'Cid');
    chief.writes('/announce Slowly');
    await harness.sees(chief.chatId, /^This is how it looks/);
    // With three recipients no slow pace is offered.
    expect(last(chief)).toMatch(/ \[Send \(3 seconds\)\] \[Cancel\]$/);
    await addUsers(297);
    chief.writes('/announce Slowly');
    await expect.poll(() => last(chief)).toMatch(/ \[Send \(5 minutes\)\] \[Send slowly \(6 hours\)\] \[Cancel\]$/);
    await chief.presses('Send slowly (6 hours)');
    await harness.sees(
      chief.chatId,
      /^The announcement is being sent\.\n\nSent: 1\nRemaining: 299\nDone in about 6 hours$/,
    );
    await chief.presses('Pause');
    await harness.sees(chief.chatId, 'The announcement is paused.\n\nSent: 1\nRemaining: 299');
    expect(last(chief)).toMatch(/ \[Resume\] \[Cancel\]$/);
    chief.writes('/announce Another');
    await expect.poll(() => last(chief)).toMatch(/^Bot: This is how it looks/);
    expect(await chief.presses('Send (5 minutes)')).toMatch(/^Another announcement is still being sent/);
    await chief.presses('Resume');
    await harness.sees(chief.chatId, /^The announcement is being sent\./);
    const cancelled = () =>
      harness.telegram.transcript(chief.chatId).findLast(({ message }) => message.text?.includes('cancelled'));
    const slowly = harness.telegram
      .transcript(chief.chatId)
      .find(({ message }) => message.text?.includes('being sent'));
    const cancel = slowly?.message.reply_markup?.inline_keyboard[0]?.[1];
    if (!slowly || !cancel || !('callback_data' in cancel)) throw new Error('no Cancel');
    harness.telegram.pressButton(chief.chatId, slowly.message.message_id, {
      from: chief.id,
      data: cancel.callback_data,
    });
    await expect
      .poll(() => cancelled()?.message.text)
      .toBe('The announcement is cancelled.\n\nSent: 1\nDid not get it: 299');
    await removeUsers();
    await chief.presses('Send (5 minutes)');
    await isOver(chief);
    const heard = users.map(({ chatId }) => harness.lines(chatId).slice(2).toSorted());
    expect(heard.flat().filter((line) => line === 'Bot: Slowly')).toHaveLength(1);
    expect(heard.flat().filter((line) => line === 'Bot: Another')).toHaveLength(3);
    chief.writes('/audit');
    const { message } = await harness.sees(chief.chatId, /^Admin actions/);
    expect(message.text?.match(/(?<=: Chief \(\d+\) ).*/g)).toEqual([
      'sent announcement 3',
      'cancelled announcement 1',
      'resumed announcement 1',
      'paused announcement 1',
      'sent announcement 1',
    ]);
  });

  test('ends with a notice when the message is deleted before all users have received it', async () => {
    const { chief } = await setStage('Ann', 'Bob');
    chief.writes('/announce Oops');
    const { message } = await harness.sees(chief.chatId, 'Oops');
    await harness.sees(chief.chatId, /^This is how it looks/);
    harness.telegram.deleteMessage(chief.chatId, message.message_id);
    await chief.presses('Send (2 seconds)');
    await isOver(chief);
    expect(harness.lines(chief.chatId).at(-2)).toBe(
      'Bot: The message above was deleted, so there is nothing left to send.\n\nSent: 0\nDid not get it: 2',
    );
  });

  test('takes a message of any kind when it asked for one', async () => {
    const { chief, users } = await setStage('Ann');
    chief.writes('/announce');
    await harness.sees(chief.chatId, /^What should I announce\?/);
    chief.sends({ kind: 'photo' });
    await harness.sees(chief.chatId, /^This is how it looks/);
    await chief.presses('Send (1 second)');
    await isOver(chief);
    expect(harness.lines(users[0]?.chatId ?? 0).at(-1)).toBe('Bot: (photo) ');
  });

  test('is hidden from users', async () => {
    const { users } = await setStage('Ann', 'Bob');
    users[0]?.writes('/announce Buy this');
    await harness.sees(users[0]?.chatId ?? 0, 'I don’t know /announce. /help lists what I can do.');
  });
});
