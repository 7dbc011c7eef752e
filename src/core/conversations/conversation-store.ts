import { and, desc, eq, exists, gt, ilike, isNotNull, isNull, max, ne, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { messages, storedConversations } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { type ChatTopic, isAt } from './chat-topic.ts';
import { selectPath } from './path.ts';

/** A conversation. Its messages form a tree: editing or answering an old message creates a branch. */
export interface Conversation {
  readonly id: number;
  readonly chatTopic: ChatTopic;
}

/** Persona of a conversation: a persona by its key, or instructions written for this conversation. */
export type PromptSource =
  | { readonly kind: 'persona'; readonly persona: string }
  | { readonly kind: 'instructions'; readonly text: string; readonly userId: number | undefined };

/** A conversation without its messages. */
export interface ConversationDetails extends Conversation {
  /** User who opened it. */
  readonly userId: number;
  readonly isCurrent: boolean;
  readonly isArchived: boolean;
  readonly title: string | undefined;
  /** Undefined: the persona of the user who asks. */
  readonly promptSource: PromptSource | undefined;
  /** Public name of the chat model of this conversation. Undefined: the model of the user who asks. */
  readonly model: string | undefined;
  /** Whether the topic is renamed when the title changes. */
  readonly namesTopic: boolean;
}

/** A conversation with at least one message. */
export interface ListedConversation extends ConversationDetails {
  /** Messages of the visible branch; answers without text don't count. */
  readonly messageCount: number;
  readonly lastMessageAt: Date;
  /** Beginning of the first question with text; empty if there is none. */
  readonly firstWords: string;
}

/** Filter for conversations: one chat or topic, or a chat with all its topics. */
export interface ConversationScope extends ChatTopic {
  readonly hasAllTopics: boolean;
  /** User who opened them. Default: any. */
  readonly userId?: number | undefined;
}

/** A message in an exported conversation. */
export interface RecordedMessage {
  readonly id: number;
  readonly parentId: number | null;
  readonly role: 'user' | 'assistant';
  readonly model: string | null;
  readonly createdAt: Date;
  /** Number of attached photos; their files are stored at Telegram. */
  readonly photoCount: number;
  /** Attached documents, recordings and web pages. `text` is empty unless texts were requested. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Markdown. */
  readonly content: string;
}

/** Management of conversations. */
export interface ConversationStore {
  findConversation(conversationId: number): Promise<ConversationDetails | undefined>;
  /** Returns the current conversation of a chat or topic, if there is one. */
  findCurrentConversation(chatTopic: ChatTopic): Promise<ConversationDetails | undefined>;
  /**
   * Lists conversations with messages, the one with the newest message first.
   * @param filter `search`: words that must all occur in the title or in the messages.
   */
  listConversations(
    scope: ConversationScope,
    filter: {
      readonly search?: string | undefined;
      readonly isArchived: boolean;
      readonly offset: number;
      readonly limit: number;
    },
  ): Promise<{ readonly conversations: readonly ListedConversation[]; readonly totalCount: number }>;
  /** Returns undefined for conversations without messages or outside the scope, too. */
  findListedConversation(conversationId: number, scope?: ConversationScope): Promise<ListedConversation | undefined>;
  /**
   * Sets the title of a conversation that has none.
   * @returns false if it has a title already or does not exist.
   */
  giveTitle(conversationId: number, title: string): Promise<boolean>;
  renameConversation(conversationId: number, title: string): Promise<void>;
  /** Archives or restores a conversation. An archived one is no longer the current conversation of its chat. */
  setArchived(conversationId: number, isArchived: boolean): Promise<void>;
  /** Moves a conversation to another topic of its chat, or out of topics, and makes it the current one there. */
  continueConversation(conversationId: number, chatTopic: ChatTopic): Promise<void>;
  setPromptSource(conversationId: number, promptSource: PromptSource | undefined): Promise<void>;
  /** Sets the chat model of this conversation; undefined: the model of the user who asks. */
  setModel(conversationId: number, model: string | undefined): Promise<void>;
  /** Sets whether the topic is renamed when the title changes. */
  setNamesTopic(conversationId: number, namesTopic: boolean): Promise<void>;
  /** Deletes a conversation with all its messages. */
  deleteConversation(conversationId: number): Promise<void>;
  /** Returns the ids of answers that are not completely delivered. */
  listOpenAnswers(conversationId: number): Promise<readonly number[]>;
  /** Returns messages of the visible branch, oldest first, without answers that have no text. */
  readVisibleMessages(
    conversationId: number,
    page: { readonly afterId?: number | undefined; readonly limit: number },
  ): Promise<readonly RecordedMessage[]>;
  /**
   * Returns the newest messages of a conversation in all branches, oldest first, up to 5000 messages and 8 million
   * characters.
   */
  readRecord(
    conversationId: number,
  ): Promise<{ readonly messages: readonly RecordedMessage[]; readonly isComplete: boolean }>;
}

const MAX_SEARCH_WORDS = 8;
const MAX_FIRST_WORDS = 200;
const MAX_RECORD_MESSAGES = 5000;
const MAX_RECORD_CHARACTERS = 8_000_000;

export function createConversationStore({ db }: { readonly db: Database }): ConversationStore {
  const update = async (conversationId: number, set: Partial<typeof storedConversations.$inferInsert>) => {
    await db.update(storedConversations).set(set).where(eq(storedConversations.id, conversationId));
  };
  return {
    async findConversation(conversationId) {
      const [row] = await db.select().from(storedConversations).where(eq(storedConversations.id, conversationId));
      return row && toDetails(row);
    },
    async findCurrentConversation(chatTopic) {
      const [row] = await db
        .select()
        .from(storedConversations)
        .where(and(...isAt(chatTopic), storedConversations.isCurrent));
      return row && toDetails(row);
    },
    async listConversations(scope, { search, isArchived, offset, limit }) {
      const filter = and(
        isWithin(scope),
        isArchived ? isNotNull(storedConversations.archivedAt) : isNull(storedConversations.archivedAt),
        ...toWords(search).map((word) => hasWord(db, word)),
      );
      const conversationMessages = db
        .select({ id: messages.id })
        .from(messages)
        .where(eq(messages.conversationId, storedConversations.id));
      const totalCount = await db.$count(storedConversations, and(filter, exists(conversationMessages)));
      return { conversations: await readListed(db, filter, { offset, limit }), totalCount };
    },
    async findListedConversation(conversationId, scope) {
      const filter = and(eq(storedConversations.id, conversationId), scope && isWithin(scope));
      const [listed] = await readListed(db, filter, { offset: 0, limit: 1 });
      return listed;
    },
    async giveTitle(conversationId, title) {
      const isUntitled = and(eq(storedConversations.id, conversationId), isNull(storedConversations.title));
      const updatedRows = await db
        .update(storedConversations)
        .set({ title: toStorableText(title) })
        .where(isUntitled)
        .returning({ id: storedConversations.id });
      return updatedRows.length > 0;
    },
    renameConversation: (conversationId, title) => update(conversationId, { title: toStorableText(title) }),
    setArchived: (conversationId, isArchived) =>
      isArchived
        ? db
            .update(storedConversations)
            .set({ archivedAt: sql`now()`, isCurrent: false })
            .where(eq(storedConversations.id, conversationId))
            .then(() => {})
        : update(conversationId, { archivedAt: null }),
    continueConversation: (conversationId, chatTopic) =>
      db.transaction(async (tx) => {
        await tx
          .update(storedConversations)
          .set({ isCurrent: false })
          .where(and(...isAt(chatTopic), storedConversations.isCurrent));
        const topicId = chatTopic.topicId ?? null;
        const staysThere = sql`${storedConversations.namesTopic} and ${storedConversations.topicId} is not distinct from ${topicId}::integer`;
        await tx
          .update(storedConversations)
          .set({ isCurrent: true, archivedAt: null, topicId, namesTopic: staysThere })
          .where(and(eq(storedConversations.id, conversationId), eq(storedConversations.chatId, chatTopic.chatId)));
      }),
    setPromptSource: (conversationId, promptSource) =>
      update(conversationId, {
        persona: promptSource?.kind === 'persona' ? promptSource.persona : null,
        instructions: promptSource?.kind === 'instructions' ? toStorableText(promptSource.text) : null,
        instructionsBy: promptSource?.kind === 'instructions' ? (promptSource.userId ?? null) : null,
      }),
    setModel: (conversationId, model) => update(conversationId, { model: model ?? null }),
    setNamesTopic: (conversationId, namesTopic) => update(conversationId, { namesTopic }),
    async deleteConversation(conversationId) {
      await db.delete(storedConversations).where(eq(storedConversations.id, conversationId));
    },
    async listOpenAnswers(conversationId) {
      const isOpen = and(
        eq(messages.conversationId, conversationId),
        eq(messages.role, 'assistant'),
        isNull(messages.settledAt),
      );
      const rows = await db.select({ id: messages.id }).from(messages).where(isOpen);
      return rows.map(({ id }) => id);
    },
    async readVisibleMessages(conversationId, { afterId = 0, limit }) {
      const newest = sql`(select max(id) from ${messages} "newest" where "newest".thread_id = ${conversationId})`;
      const head = sql`(select coalesce(head_id, ${newest}) from ${storedConversations} where id = ${conversationId})`;
      const isShown = or(eq(messages.role, 'user'), ne(messages.content, ''));
      const rows = await db
        .select()
        .from(messages)
        .where(and(sql`${messages.id} in ${selectPath(head)}`, gt(messages.id, afterId), isShown))
        .orderBy(messages.id)
        .limit(limit);
      return rows.map(toRecorded);
    },
    async readRecord(conversationId) {
      const rows = await db
        .select()
        .from(messages)
        .where(eq(messages.conversationId, conversationId))
        .orderBy(desc(messages.id))
        .limit(MAX_RECORD_MESSAGES + 1);
      let characters = 0;
      const fitting = rows.slice(0, MAX_RECORD_MESSAGES).filter(({ content }) => {
        characters += content.length;
        return characters <= MAX_RECORD_CHARACTERS;
      });
      return { messages: fitting.reverse().map(toRecorded), isComplete: fitting.length === rows.length };
    },
  };
}

function isWithin(scope: ConversationScope): SQL | undefined {
  return and(
    ...(scope.hasAllTopics ? [eq(storedConversations.chatId, scope.chatId)] : isAt(scope)),
    scope.userId === undefined ? undefined : eq(storedConversations.userId, scope.userId),
  );
}

async function readListed(
  db: Database,
  filter: SQL | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ListedConversation[]> {
  const question = alias(messages, 'question');
  const firstWords = sql<string | null>`(
    select left(${question.content}, ${sql.raw(String(MAX_FIRST_WORDS))}) from ${messages} "question"
    where ${question.conversationId} = ${storedConversations.id} and ${question.role} = 'user' and ${question.content} <> ''
    order by ${question.id} limit 1
  )`;
  const newest = sql`(select max(id) from ${messages} "newest" where "newest".thread_id = ${storedConversations.id})`;
  const messageCount = sql<number>`(
    select count(*) from ${messages} "shown"
    where "shown".id in ${selectPath(sql`coalesce(${storedConversations.headId}, ${newest})`)} and ("shown".role = 'user' or "shown".content <> '')
  )`.mapWith(Number);
  const rows = await db
    .select({ conversation: storedConversations, messageCount, lastMessageAt: max(messages.createdAt), firstWords })
    .from(storedConversations)
    .innerJoin(messages, eq(messages.conversationId, storedConversations.id))
    .where(filter)
    .groupBy(storedConversations.id)
    .orderBy(desc(max(messages.id)))
    .offset(offset)
    .limit(limit);
  return rows.map(({ conversation, messageCount, lastMessageAt, firstWords: words }) => ({
    ...toDetails(conversation),
    messageCount,
    lastMessageAt: lastMessageAt ?? conversation.createdAt,
    firstWords: words ?? '',
  }));
}

function toWords(search = ''): readonly string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, MAX_SEARCH_WORDS);
}

function hasWord(db: Database, word: string): SQL | undefined {
  const pattern = `%${toStorableText(word).replace(/[\\%_]/g, '\\$&')}%`;
  const saying = alias(messages, 'saying');
  const conversationMessages = db
    .select({ id: saying.id })
    .from(saying)
    .where(and(eq(saying.conversationId, storedConversations.id), ilike(saying.content, pattern)));
  return or(ilike(storedConversations.title, pattern), exists(conversationMessages));
}

function toDetails(row: typeof storedConversations.$inferSelect): ConversationDetails {
  return {
    id: row.id,
    chatTopic: { chatId: row.chatId, topicId: row.topicId ?? undefined },
    userId: row.userId,
    isCurrent: row.isCurrent,
    isArchived: row.archivedAt !== null,
    title: row.title ?? undefined,
    promptSource: toPromptSource(row),
    model: row.model ?? undefined,
    namesTopic: row.namesTopic,
  };
}

function toPromptSource({
  persona,
  instructions,
  instructionsBy,
}: typeof storedConversations.$inferSelect): PromptSource | undefined {
  if (persona !== null) return { kind: 'persona', persona };
  if (instructions === null) return undefined;
  return { kind: 'instructions', text: instructions, userId: instructionsBy ?? undefined };
}

function toRecorded(row: typeof messages.$inferSelect): RecordedMessage {
  const { id, parentId, role, model, createdAt, attachments, content } = row;
  const photoCount = attachments.filter(({ kind }) => kind === 'photo').length;
  const files = attachments.flatMap((file) =>
    file.kind === 'photo' || file.kind === 'link' ? [] : [{ name: file.name, text: '' }],
  );
  return { id, parentId, role, model, createdAt, photoCount, files, content };
}
