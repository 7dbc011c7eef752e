import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

/** Text of the messages that the process has handled that died. */
const HANDLED = 'handled';

const harness = startBeforeAll(() =>
  createBotHarness({ isForThisProcess: ({ message }) => message?.text !== HANDLED }),
);

type User = ReturnType<BotHarness['user']>;

/** Leaves the state of a process that died: a question, and an answer without a finish reason. */
async function leaveBehind(person: User, asked: string, content = '') {
  const { conversations, telegram } = harness;
  const { id: userId } = await harness.accounts.ensureTelegramUser(person.id);
  const { id: conversationId } = await conversations.currentConversation(
    { chatId: person.chatId, topicId: undefined },
    userId,
  );
  const parent = await conversations.findLatestMessage(conversationId);
  const questionMessageId = telegram.sendMessage(person.chatId, { text: HANDLED, from: person.id }).message.message_id;
  const question = await conversations.addMessage({
    conversationId,
    parentId: parent?.id,
    role: 'user',
    content: asked,
    userId,
    shownIn: { chatId: person.chatId, telegramMessageId: questionMessageId },
  });
  const answer = await conversations.addMessage({
    conversationId,
    parentId: question.id,
    role: 'assistant',
    content,
    model: 'basic',
  });
  return { question, answer };
}

const recover = (person: User) => harness.bot.recover(person.chatId, AbortSignal.timeout(60_000));
const begun = async () => {
  const ann = harness.user('Ann');
  ann.writes('Hello');
  await harness.sees(ann.chatId, 'You said: Hello');
  return ann;
};

test('answers that had not started are generated in order, each with its predecessor in the context', async () => {
  const ann = await begun();
  await leaveBehind(ann, 'First?');
  await leaveBehind(ann, 'Second?');
  await recover(ann);
  await harness.sees(ann.chatId, 'You said: Second?');
  await harness.settles(ann.chatId);
  const said = harness.lines(ann.chatId).filter((line) => line.startsWith('Bot'));
  expect(said.slice(-2)).toEqual(['Bot: You said: First?', 'Bot: You said: Second?']);
  expect(harness.models.requests.at(-1)?.messages).toMatchObject(
    ['Hello', 'You said: Hello', 'First?', 'You said: First?', 'Second?'].map((content) => ({ content })),
  );
  await recover(ann);
  expect(await harness.conversations.listUnfinished(ann.chatId)).toEqual([]);
  expect(harness.lines(ann.chatId).filter((line) => line.startsWith('Bot'))).toEqual(said);
});

/** Sends the pages that the dead process had shown of an answer. */
const show = async (person: User, answerId: number, texts: readonly string[]) => {
  for (const [page, text] of texts.entries()) {
    const { message_id } = await harness.client.api.sendMessage(person.chatId, text);
    await harness.conversations.recordDelivery(answerId, {
      ...{ chatId: person.chatId, telegramMessageId: message_id, page },
    });
  }
};
const saidBy = (person: User) => harness.lines(person.chatId).filter((line) => line.startsWith('Bot'));

test('a partially shown answer is generated again in its messages, and so are the waiting ones', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Half?');
  await show(ann, answer.id, ['You sa', 'surplus']);
  await leaveBehind(ann, 'Next?');
  await recover(ann);
  await harness.sees(ann.chatId, 'You said: Next?');
  await harness.settles(ann.chatId);
  expect(saidBy(ann)).toEqual(['Bot: You said: Hello', 'Bot: You said: Half?', 'Bot: You said: Next?']);
});

test('a message sent while a partially shown answer is generated again is a question of its own', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Half?');
  await show(ann, answer.id, ['You sa']);
  const requestCount = harness.models.requests.length;
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    await gate.passed;
    write('You said: Half?');
    return 'stop';
  });
  await recover(ann);
  await vi.waitFor(() => expect(harness.models.requests).toHaveLength(requestCount + 1));
  ann.writes('Next?');
  await harness.hasHandledAll();
  gate.open();
  await harness.sees(ann.chatId, 'You said: Next?');
  await harness.settles(ann.chatId);
  expect(saidBy(ann).slice(1)).toEqual(['Bot: You said: Half?', 'Bot: You said: Next?']);
});

test.each([
  ['whose tool was computing', ''],
  ['that was being continued when a tool computed', 'Half of it'],
])('an answer %s when the process ended is given up, and Retry writes a new one', async (_, content) => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'How much?', content);
  await harness.conversations.recordComputing(answer.id, true);
  const requestCount = harness.models.requests.length;
  await recover(ann);
  await harness.sees(ann.chatId, /^I restarted while a tool was computing for this answer/);
  await harness.settles(ann.chatId);
  expect(harness.models.requests).toHaveLength(requestCount);
  expect(saidBy(ann).slice(1, -1)).toEqual(content === '' ? [] : [`Bot: ${content}`]);
  expect(await harness.conversations.listUnfinished(ann.chatId)).toEqual([]);
  expect((await harness.conversations.findMessage(answer.id))?.extras).toEqual({});
  await ann.presses('Retry');
  await harness.sees(ann.chatId, 'You said: How much?');
});

test('a complete answer that was not fully shown is delivered without another model request', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Done?');
  await show(ann, answer.id, ['Half of']);
  await harness.conversations.finishMessage(answer.id, { content: 'Half of **all**.', finishReason: 'stop' });
  const requestCount = harness.models.requests.length;
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(saidBy(ann)).toEqual(['Bot: You said: Hello', 'Bot: Half of all.']);
  expect(harness.models.requests).toHaveLength(requestCount);
});

test('a page whose send was interrupted is found and edited, or sent if it did not arrive', async () => {
  const ann = await begun();
  for (const hasArrived of [true, false]) {
    const { answer } = await leaveBehind(ann, `Arrived ${hasArrived}?`);
    const afterTelegramId = harness.client.messageIds.newest(ann.chatId);
    await harness.conversations.planSend(answer.id, { page: 0, chatId: ann.chatId, afterTelegramId });
    // Bypasses the client of the bot, which has not seen the response.
    if (hasArrived) await harness.callBotApi('sendMessage', { chat_id: ann.chatId, text: 'You' });
    await recover(ann);
    await harness.settles(ann.chatId);
  }
  expect(saidBy(ann)).toEqual([
    'Bot: You said: Hello',
    'Bot: You said: Arrived true?',
    'Bot: You said: Arrived false?',
  ]);
});

test('nothing is sent again when several messages could be the lost page', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Which?');
  const afterTelegramId = harness.client.messageIds.newest(ann.chatId);
  await harness.conversations.planSend(answer.id, { page: 0, chatId: ann.chatId, afterTelegramId });
  for (const text of ['One', 'Two']) await harness.callBotApi('sendMessage', { chat_id: ann.chatId, text });
  await recover(ann);
  expect(saidBy(ann).at(-1)).toMatch(/^Bot: I restarted in the middle of this answer.*\[Retry\]$/);
  await harness.settles(ann.chatId);
});

test('an answer that cannot be found gets a notice about missing delivery, not about a restart', async () => {
  const ann = await begun();
  const requestCount = harness.models.requests.length;
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    await gate.passed;
    write('Lost.');
    return 'stop';
  });
  ann.writes('Which?');
  await vi.waitFor(() => expect(harness.models.requests).toHaveLength(requestCount + 1));
  await harness.callBotApi('sendMessage', { chat_id: ann.chatId, text: 'Of another process.' });
  const kind = { type: 'reset-after' } as const;
  harness.telegram.injectFault({ method: 'sendMessage', match: { chat_id: ann.chatId }, kind });
  gate.open();
  await harness.sees(ann.chatId, /^Telegram did not confirm the whole answer/);
  expect(saidBy(ann).slice(-3)).toEqual([
    'Bot: Of another process.',
    expect.stringMatching(/^Bot: Lost\./),
    expect.stringMatching(/^Bot: Telegram did not confirm the whole answer.*\[Retry\]$/),
  ]);
  await harness.settles(ann.chatId);
});

test('a page is found although other chats used the ids after it, because a later id of this chat is known', async () => {
  const [ann, bob] = [await begun(), harness.user('Bob')];
  const { answer } = await leaveBehind(ann, 'Far?');
  const afterTelegramId = harness.client.messageIds.newest(ann.chatId);
  await harness.conversations.planSend(answer.id, { page: 0, chatId: ann.chatId, afterTelegramId });
  // Private chats share one counter, so these ids belong to another chat.
  for (const text of ['One', 'Two', 'Three', 'Four'])
    await harness.callBotApi('sendMessage', { chat_id: bob.chatId, text });
  await harness.callBotApi('sendMessage', { chat_id: ann.chatId, text: 'You' });
  await harness.db.execute(sql`insert into updates (bot_id, update_id, chat_queue, message_id, handled_at)
    values (4242, 1000000, ${bob.chatId}, ${afterTelegramId + 10}, now())`);
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(saidBy(ann)).toEqual(['Bot: You said: Hello', 'Bot: You said: Far?']);
});

test('an answer that is too old is not generated again', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Old?');
  await harness.db.execute(sql`update messages set created_at = now() - interval '2 hours' where id = ${answer.id}`);
  await recover(ann);
  expect(saidBy(ann).at(-1)).toMatch(/I restarted.*\[Retry\]$/);
  await harness.settles(ann.chatId);
});

test('an answer that crashes the process repeatedly is given up', async () => {
  const ann = await begun();
  const { answer } = await leaveBehind(ann, 'Poison?');
  for (let crash = 1; crash <= 3; crash++) await harness.conversations.countResumption(answer.id);
  await recover(ann);
  expect(harness.lines(ann.chatId).at(-1)).toMatch(/I restarted.*\[Retry\]$/);
  expect(await harness.conversations.listUnfinished(ann.chatId)).toEqual([]);
});

test('a waiting answer does not count as resumed', async () => {
  const ann = await begun();
  const [{ answer: first }, { answer: second }] = [await leaveBehind(ann, 'One?'), await leaveBehind(ann, 'Two?')];
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    await gate.passed;
    write('One.');
    return 'stop';
  });
  await recover(ann);
  const resumptions = async () =>
    (await harness.conversations.listUnfinished(ann.chatId)).map((unfinished) => [
      unfinished.id,
      unfinished.resumptions,
    ]);
  await vi.waitFor(async () => expect(await resumptions()).toContainEqual([first.id, 1]));
  expect(await resumptions()).toEqual([
    [first.id, 1],
    [second.id, 0],
  ]);
  gate.open();
  await harness.settles(ann.chatId);
});

test('in a group the answer is charged to the user who asked, and replies to the question', async () => {
  const { Ann, Bob } = harness.group(['Ann', 'Bob']);
  await harness.accounts.ensureTelegramUser(Ann.id);
  await harness.conversations.currentConversation(
    { chatId: Ann.chatId, topicId: undefined },
    (await harness.accounts.ensureTelegramUser(Ann.id)).id,
  );
  const { question } = await leaveBehind(Bob, 'Mine?');
  await recover(Bob);
  const { message } = await harness.sees(Bob.chatId, 'You said: Mine?');
  const { id } = await harness.accounts.ensureTelegramUser(Bob.id);
  await vi.waitFor(async () => expect(await harness.listCharged()).toContain(id));
  const asked = await harness.conversations.findByDelivery(Bob.chatId, message.reply_to_message?.message_id ?? 0);
  expect(asked?.id).toBe(question.id);
});

test('an answer that another process took over gets no more text and stays owed', async () => {
  const ann = await begun();
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    write('It begins');
    await gate.passed;
    write(' and ends');
    return 'stop';
  });
  ann.writes('Whose?');
  await harness.sees(ann.chatId, 'It begins');
  harness.bot.abandon(ann.chatId);
  await vi.waitFor(() => expect(harness.bot.listBusyChats().has(ann.chatId)).toBe(false));
  gate.open();
  expect(saidBy(ann).at(-1)).toBe('Bot: It begins [Stop]');
  const [unfinished] = await harness.conversations.listUnfinished(ann.chatId);
  expect(unfinished && (await harness.conversations.findMessage(unfinished.id))?.finishReason).toBeUndefined();
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(saidBy(ann)).toEqual(['Bot: You said: Hello', 'Bot: You said: Whose?']);
});

test('a new process reads the newest message id from the database', async () => {
  const [ann, bob] = [await begun(), harness.user('Bob')];
  const { answer: bobs } = await leaveBehind(bob, 'Elsewhere?');
  const newest = harness.client.messageIds.newest(ann.chatId) + 1000;
  await harness.conversations.recordDelivery(bobs.id, { chatId: bob.chatId, telegramMessageId: newest, page: 0 });
  await leaveBehind(ann, 'Here?');
  await recover(ann);
  await harness.sees(ann.chatId, 'You said: Here?');
  expect(harness.client.messageIds.newest(ann.chatId)).toBe(newest);
});

test('a notice that cannot be sent before shutdown is left to the next process', async () => {
  const ending = await createBotHarness();
  try {
    const ann = ending.user('Ann');
    ending.models.scripts.push(goOnFrom('It begins'));
    ann.writes('Hello');
    await ending.sees(ann.chatId, 'It begins');
    ending.telegram.injectFault({ method: 'sendMessage', kind: { type: 'flood', retryAfterSeconds: 60 } });
    await ending.bot.stop();
    expect(ending.lines(ann.chatId).slice(1)).toEqual(['Bot: It begins']);
    expect(ending.bot.listBusyChats()).toContain(ann.chatId);
    expect(await ending.conversations.listUnfinished(ann.chatId)).toHaveLength(1);
  } finally {
    await ending.close();
  }
});
