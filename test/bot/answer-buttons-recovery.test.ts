import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterAll(() => play.close());
beforeEach(() => {
  play.models.scripts.length = 0;
});

type User = ReturnType<BotPlay['person']>;

const recover = (person: User) => play.bot.recover(person.chatId, AbortSignal.timeout(60_000));

/** A user with one finished answer. */
const begun = async (text = 'First.', finishReason = 'stop') => {
  const ann = play.person('Ann');
  play.models.scripts.push(async (write) => {
    write(text);
    return finishReason;
  });
  const askedIn = ann.writes('Hello');
  await play.sees(ann.chatId, text);
  await play.settles(ann.chatId);
  const question = await play.conversations.findByDelivery(ann.chatId, askedIn);
  const answer = question && (await play.conversations.findLatestMessage(question.conversationId));
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
  return play.conversations.addMessage(variant);
};

test('an interrupted variant is generated again and shown in the messages of the first answer', async () => {
  const stage = await begun();
  const variant = await leaveVariant(stage);
  const { ann } = stage;
  await play.conversations.takeOver({ answerId: variant.id, chatId: ann.chatId });
  play.models.scripts.push('Second.');
  await recover(ann);
  await play.settles(ann.chatId);
  expect(play.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
  expect(play.buttons(ann.chatId)).toBe('‹ 2/2 · basic › ⋯');
  await recover(ann);
  expect(play.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
});

test('an interrupted variant without messages takes over the messages of the first answer', async () => {
  const stage = await begun();
  await leaveVariant(stage);
  play.models.scripts.push('Second.');
  await recover(stage.ann);
  await play.settles(stage.ann.chatId);
  expect(play.lines(stage.ann.chatId)).toEqual(['Ann: Hello', 'Bot: Second.']);
});

test('an interrupted variant that is too old is dropped, and the first answer is shown again', async () => {
  const stage = await begun();
  const variant = await leaveVariant(stage);
  const { ann } = stage;
  await play.conversations.takeOver({ answerId: variant.id, chatId: ann.chatId });
  await play.db.execute(sql`update messages set created_at = now() - interval '2 hours' where id = ${variant.id}`);
  const [shown] = await play.conversations.listShownIn({ answerId: variant.id, chatId: ann.chatId });
  await play.client.api.editMessageText(ann.chatId, shown ?? 0, 'Half of the sec');
  await recover(ann);
  await play.settles(ann.chatId);
  expect(play.lines(ann.chatId)).toEqual([
    'Ann: Hello',
    'Bot: First.',
    expect.stringMatching(/^Bot: I restarted.*\[Retry\]$/),
  ]);
  expect((await play.conversations.findLatestMessage(stage.question.conversationId))?.id).toBe(stage.answer.id);
});

test('an interrupted switch to another variant is completed', async () => {
  const stage = await begun();
  const { ann, answer } = stage;
  play.models.scripts.push('Second. '.repeat(1000).trim());
  await ann.presses('🔄 Again');
  await vi.waitFor(() => expect(play.buttons(ann.chatId)).toBe('‹ 2/2 · basic › ⋯'));
  await play.settles(ann.chatId);
  expect(play.lines(ann.chatId)).toHaveLength(3);
  const second = await play.conversations.findLatestMessage(stage.question.conversationId);
  await play.conversations.chooseVariant({ answerId: answer.id, chatId: ann.chatId }, second?.id ?? 0);
  const requestCount = play.models.requests.length;
  await recover(ann);
  await play.settles(ann.chatId);
  expect(play.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: First.']);
  expect(play.buttons(ann.chatId)).toBe('‹ 1/2 · basic › ⋯');
  expect(play.models.requests).toHaveLength(requestCount);
});

test.each([
  ['continues', '1 minute', 'One two three'],
  ['that is too old is dropped and offered again', '2 hours', 'One two'],
])('an interrupted continuation %s', async (_, age, expected) => {
  const { ann, answer } = await begun('One two', 'length');
  await play.conversations.reopenMessage(answer.id);
  await play.db.execute(sql`update messages set created_at = now() - ${age}::interval where id = ${answer.id}`);
  play.models.scripts.push('two three');
  await recover(ann);
  await play.settles(ann.chatId);
  expect(play.lines(ann.chatId)).toEqual(['Ann: Hello', `Bot: ${expected}`]);
  expect(play.buttons(ann.chatId).includes('▶️')).toBe(expected === 'One two');
});
