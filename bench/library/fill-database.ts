import { and, eq, ne, sql } from 'drizzle-orm';
import type { Database } from '../../src/database/connect.ts';
import { attachmentTexts, conversations, deliveries, messages, users } from '../../src/database/schema/index.ts';
import type { TextGenerator } from './generated-texts.ts';

/** Message of a conversation, in some cases with a document. */
export interface NewMessage {
  readonly content: string;
  readonly sentAt?: Date;
  readonly document?: string | undefined;
}

/** Number of texts of an owner. */
export interface LibrarySize {
  readonly messages: number;
  readonly documents: number;
}

const WORDS_OF_DOCUMENT = 900;
const MESSAGES_OF_CONVERSATION = 500;
const MESSAGE_EVERY_MS = 600_000;
const ATTACHMENT = { kind: 'document', name: 'document.pdf', telegramFileId: 'x' } as const;

/**
 * Adds a user with conversations of generated messages and documents, from old to new.
 * @returns the user's id.
 */
export async function addOwner(
  db: Database,
  texts: TextGenerator,
  { messages: messageCount, documents: documentCount }: LibrarySize,
): Promise<number> {
  const userId = await addUser(db);
  const messagesOfDocument = messageCount / documentCount;
  for (let first = 0; first < messageCount; first += MESSAGES_OF_CONVERSATION) {
    const count = Math.min(MESSAGES_OF_CONVERSATION, messageCount - first);
    const added = Array.from({ length: count }, (_, index) => ({
      sentAt: new Date(Date.UTC(2024) + (first + index) * MESSAGE_EVERY_MS),
      content: texts.text(10 + Math.floor(texts.random() * 60)),
      document: (first + index) % messagesOfDocument < 1 ? texts.text(WORDS_OF_DOCUMENT) : undefined,
    }));
    await addMessages(db, userId, added);
  }
  return userId;
}

export async function addUser(db: Database): Promise<number> {
  const [user] = await db.insert(users).values({}).returning();
  if (!user) throw new Error('the user was not added');
  return user.id;
}

/**
 * Adds a conversation of a user's private chat, in which each message follows the one before and is shown.
 * @returns the ids of the messages.
 */
export async function addMessages(
  db: Database,
  userId: number,
  added: readonly NewMessage[],
): Promise<readonly number[]> {
  const [conversation] = await db
    .insert(conversations)
    .values({ chatId: userId, userId, isCurrent: false })
    .returning();
  if (!conversation) throw new Error('the conversation was not added');
  const rows = added.map(({ content, sentAt, document }, index) => ({
    ...{ conversationId: conversation.id, content, createdAt: sentAt },
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    attachments: document === undefined ? [] : [ATTACHMENT],
  }));
  const ids = (await db.insert(messages).values(rows).returning({ id: messages.id })).map(({ id }) => id);
  await db
    .update(messages)
    .set({ parentId: sql`${messages.id} - 1` })
    .where(and(eq(messages.conversationId, conversation.id), ne(messages.id, ids[0] ?? 0)));
  const shown = ids.map((id) => ({ chatId: userId, telegramMessageId: id, messageId: id, page: 0 }));
  await db.insert(deliveries).values(shown);
  const texts = added.flatMap(({ document: text }, index) =>
    text === undefined ? [] : { messageId: ids[index] ?? 0, position: 0, text, share: 1 },
  );
  if (texts.length > 0) await db.insert(attachmentTexts).values(texts);
  return ids;
}
