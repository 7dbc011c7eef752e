import { sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
beforeEach(() => {
  harness.models.scripts.length = 0;
});

type User = ReturnType<BotHarness['user']>;

const recover = (person: User) => harness.bot.recover(person.chatId, AbortSignal.timeout(60_000));

/** A user with one finished answer. */
const begun = async (text = 'First.', finishReason = 'stop') => {
  const ann = harness.user('Ann');
  harness.models.scripts.push(async (write) => {
    write(text);
    return finishReason;
  });
  const questionMessageId = ann.writes('Hello');
  await harness.sees(ann.chatId, text);
  await harness.settles(ann.chatId);
  const question = await harness.conversations.findByDelivery(ann.chatId, questionMessageId);
  const answer = question && (await harness.conversations.findLatestMessage(question.conversationId));
  if (!question || !answer) throw new Error('the question was not kept');
  return { ann, question, answer };
};

/** Leaves the state of a process that died after it started a variant. */
const leaveVariant = async ({ question, answer }: Awaited<ReturnType<typeof begun>>) => {
  const { conversationId, id: parentId } = question;
  const variant = {
    conversationId,
    parentId,
    role: 'assistant',
    content: '',
    model: 'basic',
    replacesId: answer.id,
  } as const;
  return harness.conversations.addMessage(variant);
};

test('an interrupted variant is generated again and shown in the messages of the first answer', async () => {
  const stage = await begun();
  const variant = await leaveVariant(stage);
  const { ann } = stage;
  await harness.conversations.takeOver({ answerId: variant.id, chatId: ann.chatId });
  harness.models.scripts.push('Second.');
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
  expect(harness.buttons(ann.chatId)).toBe('‹ 2/2 · basic › ⋯');
  await recover(ann);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
});

test('an interrupted variant without messages takes over the messages of the first answer', async () => {
  const stage = await begun();
  await leaveVariant(stage);
  harness.models.scripts.push('Second.');
  await recover(stage.ann);
  await harness.settles(stage.ann.chatId);
  expect(harness.lines(stage.ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
});

test('an interrupted variant that is too old is dropped, and the first answer is shown again', async () => {
  const stage = await begun();
  const variant = await leaveVariant(stage);
  const { ann } = stage;
  await harness.conversations.takeOver({ answerId: variant.id, chatId: ann.chatId });
  await harness.db.execute(sql`update messages set created_at = now() - interval '2 hours' where id = ${variant.id}`);
  const [shown] = await harness.conversations.listShownIn({ answerId: variant.id, chatId: ann.chatId });
  await harness.client.api.editMessageText(ann.chatId, shown ?? 0, 'Half of the sec');
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toEqual([
    'Ann: Hello',
    'Bot: First.',
    expect.stringMatching(/^Bot: I restarted.*\[Retry\]$/),
  ]);
  expect((await harness.conversations.findLatestMessage(stage.question.conversationId))?.id).toBe(stage.answer.id);
});

test('an interrupted switch to another variant is completed', async () => {
  const stage = await begun();
  const { ann, answer } = stage;
  harness.models.scripts.push('Second. '.repeat(1000).trim());
  await ann.presses('🔄 Again');
  await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('‹ 2/2 · basic › ⋯'));
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toHaveLength(3);
  const second = await harness.conversations.findLatestMessage(stage.question.conversationId);
  await harness.conversations.chooseVariant({ answerId: answer.id, chatId: ann.chatId }, second?.id ?? 0);
  const requestCount = harness.models.requests.length;
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: First.']);
  expect(harness.buttons(ann.chatId)).toBe('‹ 1/2 · basic › ⋯');
  expect(harness.models.requests).toHaveLength(requestCount);
});

test.each([
  ['continues', '1 minute', 'One two three'],
  ['that is too old is dropped and offered again', '2 hours', 'One two'],
])('an interrupted continuation %s', async (_, age, expected) => {
  const { ann, answer } = await begun('One two', 'length');
  await harness.conversations.reopenMessage(answer.id);
  await harness.db.execute(sql`update messages set created_at = now() - ${age}::interval where id = ${answer.id}`);
  harness.models.scripts.push('two three');
  await recover(ann);
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello', `Bot: ${expected}`]);
  expect(harness.buttons(ann.chatId).includes('▶️ Continue')).toBe(expected === 'One two');
});
