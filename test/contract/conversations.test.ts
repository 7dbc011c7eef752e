import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatTopic, type Conversations, createConversations } from '../../src/core/conversations/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('conversations', (createDatabase) => {
  let database: TestDatabase;
  let conversations: Conversations;
  let userId: number;
  let nextChatId = -1_001_234_567_890;
  const newPlace = (): ChatTopic => ({ chatId: nextChatId--, topicId: undefined });
  beforeAll(async () => {
    database = await createDatabase();
    conversations = createConversations({ db: database.db });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(() => database.close());

  it('a topic has one current conversation, even when two first messages arrive at once', async () => {
    const chatTopic = newPlace();
    const conversationTable = await Promise.all(
      Array.from({ length: 6 }, () => conversations.currentConversation(chatTopic, userId)),
    );
    expect(new Set(conversationTable.map((conversation) => conversation.id)).size).toBe(1);
  });

  it('a new conversation becomes the current one, and each topic of a chat has its own', async () => {
    const chatTopic = newPlace();
    const first = await conversations.currentConversation(chatTopic, userId);
    const topic = await conversations.currentConversation({ ...chatTopic, topicId: 7 }, userId);
    const second = await conversations.startConversation(chatTopic, userId);
    expect(second.id).not.toBe(first.id);
    expect((await conversations.currentConversation(chatTopic, userId)).id).toBe(second.id);
    expect((await conversations.currentConversation({ ...chatTopic, topicId: 7 }, userId)).id).toBe(topic.id);
  });

  it.each([
    ['the escape of U+0000 in plain letters', 'write \\u0000, or "\\u0000"'],
    ['U+0000', 'a\u0000b'],
    ['half a character', 'a\ud83d'],
  ])('an answer that contains %s is stored with all its fields', async (_what, text) => {
    const { id: conversationId } = await conversations.currentConversation(newPlace(), userId);
    const { id } = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'assistant',
      content: '',
    });
    const extras = { reasoning: text, sources: [{ url: 'https://example.com/', title: text }] };
    await conversations.finishMessage(id, { content: text, finishReason: 'stop', extras });
    const kept = text.replace('\u0000', '').toWellFormed();
    expect(await conversations.findMessage(id)).toMatchObject({
      content: kept,
      extras: { reasoning: kept, sources: [{ title: kept }] },
    });
  });

  it('messages form a tree: a path goes from the root to the leaf and leaves siblings out', async () => {
    const { id: conversationId } = await conversations.currentConversation(newPlace(), userId);
    const question = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'user',
      content: 'What is 1+1?',
    });
    const wrong = await conversations.addMessage({
      conversationId,
      parentId: question.id,
      role: 'assistant',
      content: '',
      model: 'demo',
    });
    await conversations.finishMessage(wrong.id, { content: '3', finishReason: 'stop' });
    const right = await conversations.addMessage({
      conversationId,
      parentId: question.id,
      role: 'assistant',
      content: '2',
      model: 'demo',
    });
    const thanks = await conversations.addMessage({
      conversationId,
      parentId: right.id,
      role: 'user',
      content: 'Thanks',
    });
    expect((await conversations.listPath(thanks.id)).map((message) => message.content)).toEqual([
      'What is 1+1?',
      '2',
      'Thanks',
    ]);
    expect((await conversations.listPath(wrong.id)).map((message) => message.content)).toEqual(['What is 1+1?', '3']);
    expect((await conversations.findMessage(wrong.id))?.finishReason).toBe('stop');
    expect((await conversations.findLatestMessage(conversationId))?.id).toBe(thanks.id);
  });

  it('a message can not have a parent in another conversation', async () => {
    const one = await conversations.currentConversation(newPlace(), userId);
    const other = await conversations.currentConversation(newPlace(), userId);
    const root = await conversations.addMessage({
      conversationId: one.id,
      parentId: undefined,
      role: 'user',
      content: 'private',
    });
    await expect(
      conversations.addMessage({ conversationId: other.id, parentId: root.id, role: 'user', content: 'x' }),
    ).rejects.toThrow();
  });

  it('any text and its images are stored unchanged except for U+0000, which Postgres refuses', async () => {
    const { id: conversationId } = await conversations.currentConversation(newPlace(), userId);
    const attachments = [{ kind: 'photo' as const, telegramFileId: 'AgAC"\\' }];
    const added = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'user',
      content: 'a\u0000b "\\" 👩‍👩‍👧 שלום \n',
      attachments,
    });
    expect(await conversations.findMessage(added.id)).toEqual({
      ...added,
      content: 'ab "\\" 👩‍👩‍👧 שלום \n',
      attachments,
    });
  });

  it('a Telegram message leads to the stored message whose page it shows', async () => {
    const chatTopic = newPlace();
    const { id: conversationId } = await conversations.currentConversation(chatTopic, userId);
    const answer = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'assistant',
      content: 'long',
      model: 'demo',
    });
    for (const page of [0, 1]) {
      const delivery = { chatId: chatTopic.chatId, telegramMessageId: 100 + page, page };
      await conversations.recordDelivery(answer.id, delivery);
      await conversations.recordDelivery(answer.id, delivery);
    }
    expect((await conversations.findByDelivery(chatTopic.chatId, 101))?.id).toBe(answer.id);
    expect(await conversations.findByDelivery(chatTopic.chatId, 102)).toBeUndefined();
    expect(await conversations.findByDelivery(chatTopic.chatId - 1, 101)).toBeUndefined();
  });

  it('answers that are not fully shown in the chat are found, with the pages shown so far', async () => {
    const chatTopic = { ...newPlace(), topicId: 9 };
    const { id: conversationId } = await conversations.currentConversation(chatTopic, userId);
    const question = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'user',
      content: 'Why?',
    });
    const addAnswer = () =>
      conversations.addMessage({
        conversationId,
        parentId: question.id,
        role: 'assistant',
        content: '',
        model: 'demo',
      });
    const settled = await addAnswer();
    await conversations.finishMessage(settled.id, { content: 'So.', finishReason: 'stop' });
    await conversations.settleMessage(settled.id);
    const unseen = await addAnswer();
    const seen = await addAnswer();
    await conversations.finishMessage(seen.id, { content: 'Thus.', finishReason: 'stop' });
    for (const [messageId, telegramMessageId, page] of [
      [question.id, 20, 0],
      [seen.id, 22, 1],
      [seen.id, 21, 0],
      [seen.id, 23, 2],
      [seen.id, 30, 1],
    ] as const) {
      await conversations.recordDelivery(messageId, { chatId: chatTopic.chatId, telegramMessageId, page });
    }
    await conversations.forgetDelivery(chatTopic.chatId, 23);
    const common = {
      ...{ questionId: question.id, chatTopic, userId, questionMessageId: 20, planned: [] },
      ...{ createdAt: expect.any(Date), resumptions: 0 },
    };
    expect(await conversations.listUnfinished(chatTopic.chatId)).toEqual([
      { ...common, id: unseen.id, shownIn: [] },
      { ...common, id: seen.id, shownIn: [21, 30] },
    ]);
  });

  it('a page is planned before it is sent, until it is delivered or known not to be', async () => {
    const chatTopic = newPlace();
    const { id: conversationId } = await conversations.currentConversation(chatTopic, userId);
    const question = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'user',
      content: 'Why?',
    });
    const { id } = await conversations.addMessage({
      conversationId,
      parentId: question.id,
      role: 'assistant',
      content: '',
    });
    const planned = async () =>
      (await conversations.listUnfinished(chatTopic.chatId))[0]?.planned.map(({ page, afterTelegramId }) => [
        page,
        afterTelegramId,
      ]);
    await conversations.planSend(id, { page: 0, chatId: chatTopic.chatId, afterTelegramId: 30 });
    await conversations.planSend(id, { page: 0, chatId: chatTopic.chatId, afterTelegramId: 31 });
    expect(await planned()).toEqual([[0, 31]]);
    await conversations.recordDelivery(id, { chatId: chatTopic.chatId, telegramMessageId: 32, page: 0 });
    expect(await planned()).toEqual([]);
    await conversations.planSend(id, { page: 1, chatId: chatTopic.chatId, afterTelegramId: 32 });
    expect(await planned()).toEqual([[1, 32]]);
    await conversations.forgetPlannedSends(id);
    expect(await planned()).toEqual([]);
  });

  it('counts planned sends to other chats with the same numbering', async () => {
    const { id: conversationId } = await conversations.currentConversation(newPlace(), userId);
    const { id } = await conversations.addMessage({
      conversationId,
      parentId: undefined,
      role: 'assistant',
      content: '',
    });
    for (const [page, chatId] of [5, 6, newPlace().chatId].entries())
      await conversations.planSend(id, { page, chatId, afterTelegramId: 1 });
    const countFor = (chatIds: readonly number[]) =>
      Promise.all(chatIds.map((chatId) => conversations.countOtherPlannedSends(chatId)));
    expect(await countFor([5, 7, -8, newPlace().chatId])).toEqual([1, 2, 2, 0]);
    expect(await conversations.countOtherPlannedSends(7, [5, 8])).toBe(1);
    await conversations.forgetPlannedSends(id);
    expect(await countFor([7])).toEqual([0]);
  });

  it('a group that becomes a supergroup keeps its conversations', async () => {
    const [from, to] = [newPlace(), newPlace()];
    const conversation = await conversations.currentConversation(from, userId);
    await conversations.moveChat(from.chatId, to.chatId);
    await conversations.moveChat(from.chatId, to.chatId);
    expect((await conversations.currentConversation(to, userId)).id).toBe(conversation.id);
    expect((await conversations.currentConversation(from, userId)).id).not.toBe(conversation.id);

    const [other, begun] = [newPlace(), newPlace()];
    await conversations.currentConversation(other, userId);
    const { id } = await conversations.currentConversation(begun, userId);
    await conversations.moveChat(other.chatId, begun.chatId);
    expect((await conversations.currentConversation(begun, userId)).id).toBe(id);
  });

  /** A question with two complete answers and a broken one. The chat shows the first in two messages. */
  const setVariants = async () => {
    const { chatId, topicId } = newPlace();
    const { id: conversationId } = await conversations.currentConversation({ chatId, topicId }, userId);
    const asked = { conversationId, parentId: undefined, role: 'user', content: 'Why?', userId } as const;
    const question = await conversations.addMessage({ ...asked, shownIn: { chatId, telegramMessageId: 1 } });
    const addAnswer = async (content: string, finishReason: string, replacesId?: number) => {
      const answer = { conversationId, parentId: question.id, role: 'assistant', content: '', model: 'demo' } as const;
      const { id } = await conversations.addMessage({ ...answer, ...(replacesId !== undefined && { replacesId }) });
      await conversations.finishMessage(id, { content, finishReason });
      return id;
    };
    const first = await addAnswer('First', 'stop');
    for (const page of [0, 1]) await conversations.recordDelivery(first, { chatId, telegramMessageId: 2 + page, page });
    await conversations.settleMessage(first);
    const broken = await addAnswer('Bro', 'error', first);
    const second = await addAnswer('Second', 'length', first);
    await Promise.all([broken, second].map((id) => conversations.settleMessage(id)));
    return { chatId, conversationId, question, first, broken, second };
  };

  it('complete answers to a question are variants of each other; a broken answer has no other variants', async () => {
    const { chatId, first, broken, second } = await setVariants();
    const listIds = async (id: number) => (await conversations.listVariants(id)).map((variant) => variant.id);
    await conversations.takeOver({ answerId: broken, chatId });
    expect(await listIds(broken)).toEqual([first, broken, second]);
    await conversations.chooseVariant({ answerId: second, chatId }, broken);
    expect(await listIds(second)).toEqual([first, second]);
  });

  it('an answer takes over the messages of the answer it replaces, once', async () => {
    const { chatId, first, second } = await setVariants();
    for (let time = 0; time < 2; time++)
      expect(await conversations.takeOver({ answerId: second, chatId })).toEqual([2, 3]);
    expect(await conversations.listShownIn({ answerId: first, chatId })).toEqual([]);
    expect((await conversations.findByDelivery(chatId, 3))?.id).toBe(second);
    expect(await conversations.takeOver({ answerId: first, chatId: chatId - 1 })).toEqual([]);
  });

  it('the conversation continues from the chosen variant, which is unsettled until the chat shows it', async () => {
    const { chatId, conversationId, first, second } = await setVariants();
    await conversations.takeOver({ answerId: second, chatId });
    expect((await conversations.findLatestMessage(conversationId))?.id).toBe(second);
    expect(await conversations.chooseVariant({ answerId: first, chatId }, second)).toEqual([2, 3]);
    expect((await conversations.findLatestMessage(conversationId))?.id).toBe(first);
    const [unfinished, ...others] = await conversations.listUnfinished(chatId);
    expect(others).toEqual([]);
    expect(unfinished).toMatchObject({ id: first, shownIn: [2, 3] });
    await conversations.settleMessage(first);
    expect(await conversations.listUnfinished(chatId)).toEqual([]);
    const aside = { conversationId, parentId: undefined, role: 'user', content: 'Beside', isAside: true } as const;
    await conversations.addMessage(aside);
    expect((await conversations.findLatestMessage(conversationId))?.id).toBe(first);
    const next = await conversations.addMessage({ conversationId, parentId: first, role: 'user', content: 'And?' });
    expect((await conversations.findLatestMessage(conversationId))?.id).toBe(next.id);
  });

  it('an answer that will be continued becomes unsettled again and keeps its content', async () => {
    const { chatId, second } = await setVariants();
    await conversations.reopenMessage(second);
    expect((await conversations.listUnfinished(chatId)).map(({ id }) => id)).toEqual([second]);
    const kept = await conversations.findMessage(second);
    expect([kept?.content, kept?.finishReason]).toEqual(['Second', undefined]);
  });

  it('a question gets additional messages and a changed text', async () => {
    const { chatId, question } = await setVariants();
    const extras = { parts: [{ telegramMessageId: 1, content: 'Why\u0000?' }] };
    const words = { content: 'Why?\n\nTell me.', attachments: [], extras };
    for (let time = 0; time < 2; time++)
      await conversations.rewriteMessage(question.id, words, { chatId, telegramMessageId: 9, page: 1 });
    const kept = await conversations.findByDelivery(chatId, 9);
    expect(kept).toMatchObject({ id: question.id, content: 'Why?\n\nTell me.', userId });
    expect(kept?.extras.parts).toEqual([{ telegramMessageId: 1, content: 'Why?' }]);
  });
});
