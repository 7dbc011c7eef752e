import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Conversations, createConversations, type Place } from '../../src/core/conversations/index.ts';
import { people } from '../../src/database/schema/index.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

describeOnEveryDatabase('conversations', (createDatabase) => {
  let database: TestDatabase;
  let conversations: Conversations;
  let personId: number;
  let nextChatId = -1_001_234_567_890;
  const newPlace = (): Place => ({ chatId: nextChatId--, topicId: undefined });
  beforeAll(async () => {
    database = await createDatabase();
    conversations = createConversations({ db: database.db });
    const [person] = await database.db.insert(people).values({}).returning();
    personId = person?.id ?? 0;
  });
  afterAll(() => database.close());

  it('a place has one current thread, even when two first messages come at once', async () => {
    const place = newPlace();
    const threads = await Promise.all(Array.from({ length: 6 }, () => conversations.currentThread(place, personId)));
    expect(new Set(threads.map((thread) => thread.id)).size).toBe(1);
  });

  it('a new thread becomes the current one, and topics of a chat do not share theirs', async () => {
    const place = newPlace();
    const first = await conversations.currentThread(place, personId);
    const topic = await conversations.currentThread({ ...place, topicId: 7 }, personId);
    const second = await conversations.startThread(place, personId);
    expect(second.id).not.toBe(first.id);
    expect((await conversations.currentThread(place, personId)).id).toBe(second.id);
    expect((await conversations.currentThread({ ...place, topicId: 7 }, personId)).id).toBe(topic.id);
  });

  it('messages form a tree: a path goes from the root to the leaf and leaves siblings out', async () => {
    const { id: threadId } = await conversations.currentThread(newPlace(), personId);
    const question = await conversations.addMessage({
      threadId,
      parentId: undefined,
      role: 'user',
      content: 'What is 1+1?',
    });
    const wrong = await conversations.addMessage({
      threadId,
      parentId: question.id,
      role: 'assistant',
      content: '',
      model: 'demo',
    });
    await conversations.finishMessage(wrong.id, { content: '3', finishReason: 'stop' });
    const right = await conversations.addMessage({
      threadId,
      parentId: question.id,
      role: 'assistant',
      content: '2',
      model: 'demo',
    });
    const thanks = await conversations.addMessage({ threadId, parentId: right.id, role: 'user', content: 'Thanks' });
    expect((await conversations.listPath(thanks.id)).map((message) => message.content)).toEqual([
      'What is 1+1?',
      '2',
      'Thanks',
    ]);
    expect((await conversations.listPath(wrong.id)).map((message) => message.content)).toEqual(['What is 1+1?', '3']);
    expect((await conversations.findMessage(wrong.id))?.finishReason).toBe('stop');
    expect((await conversations.findLatestMessage(threadId))?.id).toBe(thanks.id);
  });

  it('a message can not hang on a message of another thread', async () => {
    const one = await conversations.currentThread(newPlace(), personId);
    const other = await conversations.currentThread(newPlace(), personId);
    const root = await conversations.addMessage({
      threadId: one.id,
      parentId: undefined,
      role: 'user',
      content: 'private',
    });
    await expect(
      conversations.addMessage({ threadId: other.id, parentId: root.id, role: 'user', content: 'x' }),
    ).rejects.toThrow();
  });

  it('any text and its pictures come back as they were, but for U+0000, which Postgres does not keep', async () => {
    const { id: threadId } = await conversations.currentThread(newPlace(), personId);
    const attachments = [{ kind: 'photo' as const, telegramFileId: 'AgAC"\\' }];
    const added = await conversations.addMessage({
      threadId,
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

  it('a Telegram message leads to the message of which it shows a page', async () => {
    const place = newPlace();
    const { id: threadId } = await conversations.currentThread(place, personId);
    const answer = await conversations.addMessage({
      threadId,
      parentId: undefined,
      role: 'assistant',
      content: 'long',
      model: 'demo',
    });
    for (const page of [0, 1]) {
      const delivery = { chatId: place.chatId, telegramMessageId: 100 + page, page };
      await conversations.recordDelivery(answer.id, delivery);
      await conversations.recordDelivery(answer.id, delivery);
    }
    expect((await conversations.findByDelivery(place.chatId, 101))?.id).toBe(answer.id);
    expect(await conversations.findByDelivery(place.chatId, 102)).toBeUndefined();
    expect(await conversations.findByDelivery(place.chatId - 1, 101)).toBeUndefined();
  });

  it('answers without an end are found with what is seen of them', async () => {
    const place = { ...newPlace(), topicId: 9 };
    const { id: threadId } = await conversations.currentThread(place, personId);
    const question = await conversations.addMessage({ threadId, parentId: undefined, role: 'user', content: 'Why?' });
    const answer = { threadId, parentId: question.id, role: 'assistant' as const, content: '', model: 'demo' };
    const ended = await conversations.addMessage(answer);
    await conversations.finishMessage(ended.id, { content: 'So.', finishReason: 'stop' });
    const unseen = await conversations.addMessage(answer);
    const seen = await conversations.addMessage(answer);
    for (const [messageId, telegramMessageId, page] of [
      [question.id, 20, 0],
      [seen.id, 22, 1],
      [seen.id, 21, 0],
    ] as const) {
      await conversations.recordDelivery(messageId, { chatId: place.chatId, telegramMessageId, page });
    }
    const unfinished = await conversations.listUnfinished(place.chatId);
    const common = { questionId: question.id, place, personId, askedIn: 20 };
    expect(unfinished).toEqual([
      { ...common, id: unseen.id, shownIn: [] },
      { ...common, id: seen.id, shownIn: [21, 22] },
    ]);
  });
});
