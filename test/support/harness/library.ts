import { randomBytes, randomInt } from 'node:crypto';
import { type ChatOwner, type Conversations, createConversations } from '../../../src/core/conversations/index.ts';
import { createDocumentTexts } from '../../../src/core/documents/index.ts';
import { createLibrary, type LibraryDeps } from '../../../src/core/library/index.ts';
import { createMemoryBlobStore, createStorage, type UploadOptions } from '../../../src/core/storage/index.ts';
import { files, users } from '../../../src/database/schema/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { TestDatabase } from '../stores/test-database.ts';
import { createRecordingLogger } from './foundation.ts';
import { toChunks } from './storage.ts';

/** A library over a database, and what users put into it. */
export type LibraryHarness = ReturnType<typeof createLibraryHarness>;

export function createLibraryHarness({ db }: TestDatabase, parts: Partial<LibraryDeps> = {}) {
  const { logger, lines } = createRecordingLogger();
  const conversations = createConversations({ db });
  const clock = systemClock;
  const storage = createStorage({
    db,
    clock,
    logger,
    store: createMemoryBlobStore(),
    encryptionKey: Buffer.alloc(32, 1),
  });
  const library = createLibrary({ db, clock, logger, storage, documents: createDocumentTexts(), ...parts });
  // Several harnesses may share a database.
  let lastTelegramId = randomInt(1_000_000_000);
  const nextTelegramId = () => {
    lastTelegramId += 1;
    return lastTelegramId;
  };
  const addQuestion = async (
    { userId, chatId }: { readonly userId: number; readonly chatId: number },
    content: string,
    attachments: Parameters<Conversations['addMessage']>[0]['attachments'] = [],
  ) => {
    const { id: conversationId } = await conversations.currentConversation({ chatId, topicId: undefined }, userId);
    const parentId = (await conversations.findLatestMessage(conversationId))?.id;
    const shownIn = { chatId, telegramMessageId: nextTelegramId() };
    const question = { conversationId, parentId, role: 'user', content, attachments, userId, shownIn } as const;
    return (await conversations.addMessage(question)).id;
  };
  const indexAll = async () => {
    const signal = AbortSignal.timeout(60_000);
    while ((await library.index(signal)) > 0 || (await library.readFile(signal)) > 0);
    while (await library.embed(signal));
  };
  return {
    library,
    conversations,
    storage,
    lines,
    indexAll,
    async addUser() {
      const chatId = 1_000_000 + nextTelegramId();
      const [row] = await db.insert(users).values({ telegramId: chatId }).returning();
      return { userId: row?.id ?? 0, chatId };
    },
    /** Adds a question to the chat's current conversation, shown in a Telegram message. @returns its id. */
    ask: (by: { readonly userId: number; readonly chatId: number }, content: string) => addQuestion(by, content),
    /** Adds an answer to a question. @returns its id. */
    async answer(questionId: number, content: string) {
      const { conversationId } = (await conversations.findMessage(questionId)) ?? { conversationId: 0 };
      const empty = { conversationId, parentId: questionId, role: 'assistant', content: '' } as const;
      const { id } = await conversations.addMessage(empty);
      const chatId = (await conversations.findConversation(conversationId))?.chatTopic.chatId ?? 0;
      await conversations.recordDelivery(id, { chatId, telegramMessageId: nextTelegramId(), page: 0 });
      await conversations.finishMessage(id, { content, finishReason: 'stop' });
      return id;
    },
    /** Adds a question about a document whose text has been read. @returns its id. */
    async askAbout(
      by: { readonly userId: number; readonly chatId: number },
      { name, text }: { readonly name: string; readonly text: string },
    ) {
      const messageId = await addQuestion(by, '', [{ kind: 'document', telegramFileId: 'x', name }]);
      await conversations.storeText({ messageId, position: 0, text, share: 1 });
      return messageId;
    },
    async addFile(userId: number | null, name: string, more: Partial<typeof files.$inferInsert> = {}) {
      const id = randomBytes(16).toString('base64url');
      const file = { id, userId, name, ownerKeyHash: '0'.repeat(64), mediaType: 'text/plain', state: 'ready' } as const;
      await db.insert(files).values({ ...file, ...more });
      return id;
    },
    /** Stores a file as users do. @returns its id. */
    async upload(userId: number | undefined, name: string, bytes: Buffer | string, more: Partial<UploadOptions> = {}) {
      const options = { name, mediaType: undefined, userId, ...more };
      return (await storage.upload(toChunks(Buffer.from(bytes)), options, AbortSignal.timeout(60_000))).id;
    },
    /** Indexes everything and returns the beginnings of all results. */
    async search(owner: ChatOwner, query: string, userId?: number) {
      await indexAll();
      const { entries } = await library.search(owner, query, { offset: 0, limit: 50, snippetUnits: 200, userId });
      return entries.map(({ key, snippet, title }) =>
        key.kind === 'message' ? snippet.text : `${title}: ${snippet.text}`,
      );
    },
  };
}

/** Stores a conversation with one question and its answer. */
export async function talk(
  conversations: Conversations,
  talked: { readonly userId: number; readonly chatId: number; readonly question: string; readonly answer?: string },
) {
  const { userId, chatId, question, answer = `Re: ${question}` } = talked;
  const { id } = await conversations.startConversation({ chatId, topicId: undefined }, userId);
  const asked = await conversations.addMessage({
    conversationId: id,
    parentId: undefined,
    role: 'user',
    content: question,
    userId,
  });
  const answered = await conversations.addMessage({
    conversationId: id,
    parentId: asked.id,
    role: 'assistant',
    content: answer,
    model: 'fake-model',
    finishReason: 'stop',
  });
  await conversations.settleMessage(answered.id);
  return { id, askedId: asked.id, answeredId: answered.id };
}
