import { and, count, desc, eq, exists, ilike, isNotNull, isNull, max, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { messages, threads } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { selectPath } from './path.ts';
import { isAt, type Place } from './place.ts';

/** A conversation. Its messages form a tree: editing or answering an old message creates a branch. */
export interface Thread {
  readonly id: number;
  readonly place: Place;
}

/** Persona of a conversation: a persona by its key, or instructions written for this conversation. */
export type PromptSource =
  | { readonly kind: 'persona'; readonly persona: string }
  | { readonly kind: 'instructions'; readonly text: string; readonly userId: number | undefined };

/** A conversation without its messages. */
export interface ThreadDetails extends Thread {
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
export interface ListedThread extends ThreadDetails {
  /** Messages of the visible branch; answers without text don't count. */
  readonly messageCount: number;
  readonly lastMessageAt: Date;
  /** Beginning of the first question with text; empty if there is none. */
  readonly firstWords: string;
}

/** Filter for conversations: one chat or topic, or a chat with all its topics. */
export interface ThreadScope extends Place {
  readonly hasAllTopics: boolean;
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
export interface Threads {
  findThread(threadId: number): Promise<ThreadDetails | undefined>;
  /** Returns the current conversation of a chat or topic, if there is one. */
  findCurrentThread(place: Place): Promise<ThreadDetails | undefined>;
  /**
   * Lists conversations with messages, the one with the newest message first.
   * @param filter `search`: words that must all occur in the title or in the messages.
   */
  listThreads(
    scope: ThreadScope,
    filter: {
      readonly search?: string | undefined;
      readonly isArchived: boolean;
      readonly offset: number;
      readonly limit: number;
    },
  ): Promise<{ readonly threads: readonly ListedThread[]; readonly totalCount: number }>;
  /** Returns undefined for conversations without messages, too. */
  findListedThread(threadId: number): Promise<ListedThread | undefined>;
  /**
   * Sets the title of a conversation that has none.
   * @returns false if it has a title already or does not exist.
   */
  giveTitle(threadId: number, title: string): Promise<boolean>;
  renameThread(threadId: number, title: string): Promise<void>;
  /** Archives or restores a conversation. An archived one is no longer the current conversation of its chat. */
  setArchived(threadId: number, isArchived: boolean): Promise<void>;
  /** Moves a conversation to another topic of its chat, or out of topics, and makes it the current one there. */
  continueThread(threadId: number, place: Place): Promise<void>;
  setPromptSource(threadId: number, promptSource: PromptSource | undefined): Promise<void>;
  /** Sets the chat model of this conversation; undefined: the model of the user who asks. */
  setModel(threadId: number, model: string | undefined): Promise<void>;
  /** Sets whether the topic is renamed when the title changes. */
  setNamesTopic(threadId: number, namesTopic: boolean): Promise<void>;
  /** Deletes a conversation with all its messages. */
  deleteThread(threadId: number): Promise<void>;
  /** Returns the ids of answers that are not completely delivered. */
  listOpenAnswers(threadId: number): Promise<readonly number[]>;
  /**
   * Returns the newest messages of a conversation in all branches, oldest first, up to 5000 messages and 8 million
   * characters.
   */
  readRecord(
    threadId: number,
  ): Promise<{ readonly messages: readonly RecordedMessage[]; readonly isComplete: boolean }>;
}

const MAX_SEARCH_WORDS = 8;
const MAX_FIRST_WORDS = 200;
const MAX_RECORD_MESSAGES = 5000;
const MAX_RECORD_CHARACTERS = 8_000_000;

export function createThreads({ db }: { readonly db: Database }): Threads {
  const update = async (threadId: number, set: Partial<typeof threads.$inferInsert>) => {
    await db.update(threads).set(set).where(eq(threads.id, threadId));
  };
  return {
    async findThread(threadId) {
      const [row] = await db.select().from(threads).where(eq(threads.id, threadId));
      return row && toDetails(row);
    },
    async findCurrentThread(place) {
      const [row] = await db
        .select()
        .from(threads)
        .where(and(...isAt(place), threads.isCurrent));
      return row && toDetails(row);
    },
    async listThreads(scope, { search, isArchived, offset, limit }) {
      const wanted = and(
        ...(scope.hasAllTopics ? [eq(threads.chatId, scope.chatId)] : isAt(scope)),
        isArchived ? isNotNull(threads.archivedAt) : isNull(threads.archivedAt),
        ...toWords(search).map((word) => hasWord(db, word)),
      );
      const said = db.select({ id: messages.id }).from(messages).where(eq(messages.threadId, threads.id));
      const [total] = await db
        .select({ count: count() })
        .from(threads)
        .where(and(wanted, exists(said)));
      return { threads: await readListed(db, wanted, { offset, limit }), totalCount: total?.count ?? 0 };
    },
    async findListedThread(threadId) {
      const [listed] = await readListed(db, eq(threads.id, threadId), { offset: 0, limit: 1 });
      return listed;
    },
    async giveTitle(threadId, title) {
      const isUntitled = and(eq(threads.id, threadId), isNull(threads.title));
      const given = await db
        .update(threads)
        .set({ title: toStorableText(title) })
        .where(isUntitled)
        .returning({ id: threads.id });
      return given.length > 0;
    },
    renameThread: (threadId, title) => update(threadId, { title: toStorableText(title) }),
    setArchived: (threadId, isArchived) =>
      isArchived
        ? db
            .update(threads)
            .set({ archivedAt: sql`now()`, isCurrent: false })
            .where(eq(threads.id, threadId))
            .then(() => {})
        : update(threadId, { archivedAt: null }),
    continueThread: (threadId, place) =>
      db.transaction(async (tx) => {
        await tx
          .update(threads)
          .set({ isCurrent: false })
          .where(and(...isAt(place), threads.isCurrent));
        const topicId = place.topicId ?? null;
        const staysThere = sql`${threads.namesTopic} and ${threads.topicId} is not distinct from ${topicId}::integer`;
        await tx
          .update(threads)
          .set({ isCurrent: true, archivedAt: null, topicId, namesTopic: staysThere })
          .where(and(eq(threads.id, threadId), eq(threads.chatId, place.chatId)));
      }),
    setPromptSource: (threadId, promptSource) =>
      update(threadId, {
        persona: promptSource?.kind === 'persona' ? promptSource.persona : null,
        instructions: promptSource?.kind === 'instructions' ? toStorableText(promptSource.text) : null,
        instructionsBy: promptSource?.kind === 'instructions' ? (promptSource.userId ?? null) : null,
      }),
    setModel: (threadId, model) => update(threadId, { model: model ?? null }),
    setNamesTopic: (threadId, namesTopic) => update(threadId, { namesTopic }),
    async deleteThread(threadId) {
      await db.delete(threads).where(eq(threads.id, threadId));
    },
    async listOpenAnswers(threadId) {
      const isOpen = and(eq(messages.threadId, threadId), eq(messages.role, 'assistant'), isNull(messages.settledAt));
      const rows = await db.select({ id: messages.id }).from(messages).where(isOpen);
      return rows.map(({ id }) => id);
    },
    async readRecord(threadId) {
      const rows = await db
        .select()
        .from(messages)
        .where(eq(messages.threadId, threadId))
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

async function readListed(
  db: Database,
  wanted: SQL | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ListedThread[]> {
  const question = alias(messages, 'question');
  const firstWords = sql<string | null>`(
    select left(${question.content}, ${sql.raw(String(MAX_FIRST_WORDS))}) from ${messages} "question"
    where ${question.threadId} = ${threads.id} and ${question.role} = 'user' and ${question.content} <> ''
    order by ${question.id} limit 1
  )`;
  const newest = sql`(select max(id) from ${messages} "newest" where "newest".thread_id = ${threads.id})`;
  const messageCount = sql<number>`(
    select count(*) from ${messages} "shown"
    where "shown".id in ${selectPath(sql`coalesce(${threads.headId}, ${newest})`)} and ("shown".role = 'user' or "shown".content <> '')
  )`.mapWith(Number);
  const rows = await db
    .select({ thread: threads, messageCount, lastMessageAt: max(messages.createdAt), firstWords })
    .from(threads)
    .innerJoin(messages, eq(messages.threadId, threads.id))
    .where(wanted)
    .groupBy(threads.id)
    .orderBy(desc(max(messages.id)))
    .offset(offset)
    .limit(limit);
  return rows.map(({ thread, messageCount, lastMessageAt, firstWords: words }) => ({
    ...toDetails(thread),
    messageCount,
    lastMessageAt: lastMessageAt ?? thread.createdAt,
    firstWords: words ?? '',
  }));
}

function toWords(search = ''): readonly string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, MAX_SEARCH_WORDS);
}

function hasWord(db: Database, word: string): SQL | undefined {
  const pattern = `%${toStorableText(word).replace(/[\\%_]/g, '\\$&')}%`;
  const saying = alias(messages, 'saying');
  const said = db
    .select({ id: saying.id })
    .from(saying)
    .where(and(eq(saying.threadId, threads.id), ilike(saying.content, pattern)));
  return or(ilike(threads.title, pattern), exists(said));
}

function toDetails(row: typeof threads.$inferSelect): ThreadDetails {
  return {
    id: row.id,
    place: { chatId: row.chatId, topicId: row.topicId ?? undefined },
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
}: typeof threads.$inferSelect): PromptSource | undefined {
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
