import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, asc, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import {
  accessRequests,
  attachmentTexts,
  broadcastRecipients,
  conversations,
  feedback,
  groupAdmissions,
  groupMessages,
  idempotentRequests,
  invitationUses,
  type MessageAttachment,
  memories,
  messages,
  personas,
  responses,
  sessions,
  usage,
  users,
} from '../../database/schema/index.ts';
import type { HistoryMessage } from '../conversations/index.ts';
import { isMemoryOf } from './forget-user.ts';
import { type ExportedApiKey, readApiKeys } from './read-api-keys.ts';
import { type ExportedTask, readTasks } from './read-tasks.ts';

/** Stored data of a user, oldest first. */
export interface PersonalExport {
  readonly account: {
    /** The `user` of API responses. */
    readonly id: number;
    readonly telegramId: number | null;
    /** Text of the admins about the user, and the name and username of Telegram, if they are stored. */
    readonly note: string | null;
    readonly name: string | null;
    readonly username: string | null;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly createdAt: Date;
    /** Time since which the bot can't write to the user's private chat. */
    readonly unreachableSince: Date | null;
    /** Running broadcasts and their outcome for this user. */
    readonly broadcasts: readonly { readonly id: number; readonly state: string }[];
    readonly apiKeys: readonly ExportedApiKey[];
    readonly feedback: readonly {
      readonly model: string;
      readonly rating: string;
      readonly comment: string | null;
      readonly createdAt: Date;
    }[];
    /** The user's recent messages in groups that store them. */
    readonly groupMessages: readonly { readonly chatId: number; readonly content: string; readonly sentAt: Date }[];
    /** Stored responses of the API; their texts are in the conversations. */
    readonly responses: readonly { readonly id: string; readonly createdAt: Date }[];
    /** API answers stored for repeated requests, without their contents. */
    readonly keptAnswers: readonly { readonly sizeBytes: number; readonly createdAt: Date }[];
    /** The user's memories, and those that they wrote in groups. */
    readonly memories: readonly ExportedMemory[];
    /** Tasks and reminders with their runs. */
    readonly tasks: readonly ExportedTask[];
    /** Sessions of the console. */
    readonly sessions: readonly ExportedSession[];
    readonly access: ExportedAccess;
    readonly personas: readonly { readonly name: string; readonly instructions: string; readonly createdAt: Date }[];
  };
  readonly conversations: readonly ExportedConversation[];
  readonly usage: readonly ExportedUsage[];
  /** False if data exceeded the limits: then the oldest is missing. */
  readonly isComplete: boolean;
}

/** What decides whether an account may use a private service. */
interface ExportedAccess {
  /** The user's request to the admins. */
  readonly request: Omit<typeof accessRequests.$inferSelect, 'telegramId' | 'decidedBy' | 'tellingAfterId'> | null;
  /** Groups that let the user in, at the time when Telegram was last asked. */
  readonly groups: readonly { readonly chatId: number; readonly checkedAt: Date }[];
  /** Numbers of the invitations that the user has used. */
  readonly invitationIds: readonly number[];
}

/** A session without the hash of its token. */
type ExportedSession = Pick<
  typeof sessions.$inferSelect,
  'origin' | 'userAgent' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
>;

/** A memory with the group that it belongs to, null for the user's own, and the Telegram message that it comes from. */
type ExportedMemory = Pick<
  typeof memories.$inferSelect,
  'content' | 'groupId' | 'sourceChatId' | 'sourceMessageId' | 'createdAt' | 'updatedAt'
>;

/** A conversation as a tree of messages. In groups: the user's own messages and the answers to them. */
export interface ExportedConversation {
  readonly id: number;
  readonly chatId: number;
  readonly topicId: number | null;
  readonly title: string | null;
  /** Instructions that the user has set for this conversation. */
  readonly instructions: string | null;
  readonly messages: readonly HistoryMessage[];
}

type ExportedUsage = Pick<
  typeof usage.$inferSelect,
  | 'createdAt'
  | 'kind'
  | 'model'
  | 'provider'
  | 'promptTokens'
  | 'completionTokens'
  | 'imageCount'
  | 'costUsd'
  | 'finishReason'
  | 'durationMs'
>;

const PAGE_ROWS = 500;
/** Characters of messages that are read at once. */
const MAX_PAGE_CHARACTERS = 500_000;
/** Limit of conversation texts: a Telegram document may have 50 MB, and each text is contained in two files. */
const MAX_CHARACTERS = 8_000_000;
const MAX_MESSAGES = 100_000;
const MAX_USAGE_ROWS = 100_000;

/**
 * Reads all stored data of a user, within the limits of an export.
 * @param telegramId Telegram id of the user, which is also the id of the private chat; undefined if there is none.
 */
export async function readExport(
  db: Database,
  userId: number,
  telegramId: number | undefined,
): Promise<PersonalExport> {
  const [account] = await db.select().from(users).where(eq(users.id, userId));
  if (!account) throw new Error('This user does not exist');
  const { model, rating, comment, createdAt: ratedAt } = feedback;
  const opinions = await db
    .select({ model, rating, comment, createdAt: ratedAt })
    .from(feedback)
    .where(eq(feedback.userId, userId));
  const broadcasts = await db
    .select({ id: broadcastRecipients.broadcastId, state: broadcastRecipients.state })
    .from(broadcastRecipients)
    .where(eq(broadcastRecipients.userId, userId));
  const { name: calledAs, instructions, createdAt: madeAt } = personas;
  const ownPersonas = await db
    .select({ name: calledAs, instructions, createdAt: madeAt })
    .from(personas)
    .where(eq(personas.userId, userId));
  const written = await readMessages(db, userId, telegramId);
  const usageExport = await readUsage(db, userId);
  const { id, settings, createdAt: joinedAt, unreachableSince } = account;
  return {
    account: {
      id,
      telegramId: account.telegramId,
      note: account.note,
      name: account.name,
      username: account.username,
      settings,
      createdAt: joinedAt,
      unreachableSince,
      broadcasts,
      apiKeys: await readApiKeys(db, userId),
      feedback: opinions,
      memories: await readMemories(db, userId),
      personas: ownPersonas,
      sessions: await readSessions(db, userId),
      access: telegramId === undefined ? NO_ACCESS : await readAccess(db, telegramId),
      tasks: await readTasks(db, userId),
      groupMessages: telegramId === undefined ? [] : await readGroupMessages(db, telegramId),
      responses: await readResponses(db, userId),
      keptAnswers: await readKeptAnswers(db, userId),
    },
    conversations: toConversations(written.rows),
    usage: usageExport.rows,
    isComplete: written.isComplete && usageExport.isComplete,
  };
}

const NO_ACCESS: ExportedAccess = { request: null, groups: [], invitationIds: [] };

async function readAccess(db: Database, telegramId: number): Promise<ExportedAccess> {
  const { name, language, state, askedAt, decidedAt, toldAt } = accessRequests;
  const [request] = await db
    .select({ name, language, state, askedAt, decidedAt, toldAt })
    .from(accessRequests)
    .where(eq(accessRequests.telegramId, telegramId));
  const { chatId, checkedAt } = groupAdmissions;
  const { invitationId } = invitationUses;
  const uses = await db.select({ invitationId }).from(invitationUses).where(eq(invitationUses.telegramId, telegramId));
  return {
    request: request ?? null,
    groups: await db
      .select({ chatId, checkedAt })
      .from(groupAdmissions)
      .where(eq(groupAdmissions.telegramId, telegramId)),
    invitationIds: uses.map((use) => use.invitationId),
  };
}

function readSessions(db: Database, userId: number): Promise<ExportedSession[]> {
  const { origin, userAgent, createdAt, lastUsedAt, expiresAt } = sessions;
  return db
    .select({ origin, userAgent, createdAt, lastUsedAt, expiresAt })
    .from(sessions)
    .where(eq(sessions.userId, userId));
}

function readMemories(db: Database, userId: number): Promise<readonly ExportedMemory[]> {
  const { content, groupId, sourceChatId, sourceMessageId, createdAt, updatedAt } = memories;
  return db
    .select({ content, groupId, sourceChatId, sourceMessageId, createdAt, updatedAt })
    .from(memories)
    .where(isMemoryOf(userId))
    .orderBy(asc(memories.id));
}

function readGroupMessages(db: Database, telegramId: number): Promise<PersonalExport['account']['groupMessages']> {
  const { chatId, content, sentAt } = groupMessages;
  return db
    .select({ chatId, content, sentAt })
    .from(groupMessages)
    .where(eq(groupMessages.authorId, telegramId))
    .orderBy(asc(sentAt));
}

/** Lists the stored responses; their texts are among the messages. */
function readKeptAnswers(db: Database, userId: number) {
  const { sizeBytes, createdAt } = idempotentRequests;
  return db.select({ sizeBytes, createdAt }).from(idempotentRequests).where(eq(idempotentRequests.userId, userId));
}

function readResponses(db: Database, userId: number): Promise<PersonalExport['account']['responses']> {
  const { id, createdAt } = responses;
  return db.select({ id, createdAt }).from(responses).where(eq(responses.userId, userId)).orderBy(asc(createdAt));
}

type PageRow = Awaited<ReturnType<typeof readMessagePage>>[number];
type MessageRow = Omit<PageRow, 'length'> & Pick<ExportedConversation['messages'][number], 'content' | 'files'>;

/** Reads messages, newest first, up to the limits; returns them oldest first. */
async function readMessages(db: Database, userId: number, telegramId: number | undefined) {
  const rows: MessageRow[] = [];
  let characters = 0;
  for (;;) {
    const page = await readMessagePage(db, { userId, telegramId, beforeId: rows.at(-1)?.id });
    for await (const bareRow of withContents(db, page)) {
      const row = { ...bareRow, files: await readFiles(db, bareRow) };
      characters += row.files.reduce((sum, { text }) => sum + text.length, row.content.length);
      if (characters > MAX_CHARACTERS || rows.length >= MAX_MESSAGES)
        return { rows: rows.reverse(), isComplete: false };
      rows.push(row);
    }
    if (page.length < PAGE_ROWS) return { rows: rows.reverse(), isComplete: true };
    await yieldToEventLoop();
  }
}

function readMessagePage(
  db: Database,
  of: { readonly userId: number; readonly telegramId: number | undefined; readonly beforeId: number | undefined },
) {
  const question = alias(messages, 'question');
  const ownQuestions = db.select({ id: question.id }).from(question).where(eq(question.userId, of.userId));
  const isTheirs = or(
    of.telegramId === undefined ? undefined : eq(conversations.chatId, of.telegramId),
    eq(messages.userId, of.userId),
    and(eq(messages.role, 'assistant'), inArray(messages.parentId, ownQuestions)),
  );
  return db
    .select({
      id: messages.id,
      parentId: messages.parentId,
      role: messages.role,
      model: messages.model,
      createdAt: messages.createdAt,
      attachments: messages.attachments,
      length: sql<number>`length(${messages.content})`,
      conversation: {
        id: conversations.id,
        chatId: conversations.chatId,
        topicId: conversations.topicId,
        title: conversations.title,
        instructions: sql<
          string | null
        >`case when ${conversations.instructionsBy} = ${of.userId} then ${conversations.instructions} end`,
      },
    })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(and(isTheirs, of.beforeId === undefined ? undefined : lt(messages.id, of.beforeId)))
    .orderBy(desc(messages.id))
    .limit(PAGE_ROWS);
}

/** Adds the texts of messages. Not all of them are in memory at once. */
async function* withContents(db: Database, page: readonly PageRow[]) {
  let rows: PageRow[] = [];
  let characters = 0;
  for (const row of page) {
    rows.push(row);
    characters += row.length;
    if (characters < MAX_PAGE_CHARACTERS && row !== page.at(-1)) continue;
    const ids = rows.map(({ id }) => id);
    const { id, content } = messages;
    const contents = new Map(
      (await db.select({ id, content }).from(messages).where(inArray(id, ids))).map((read) => [read.id, read.content]),
    );
    // A message may have been deleted meanwhile.
    for (const { length: _length, ...read } of rows) yield { ...read, content: contents.get(read.id) ?? '' };
    [rows, characters] = [[], 0];
    await yieldToEventLoop();
  }
}

async function readFiles(db: Database, { id, attachments }: { id: number; attachments: readonly MessageAttachment[] }) {
  const named = [...attachments.entries()].flatMap(([position, file]) =>
    file.kind === 'photo' ? [] : [{ position, name: file.name }],
  );
  if (named.length === 0) return [];
  const texts = await db.select().from(attachmentTexts).where(eq(attachmentTexts.messageId, id));
  const files = named.map(({ position, name }) => ({
    name,
    text: texts.find((one) => one.position === position)?.text ?? '',
  }));
  // A link that was not opened is contained in the message text.
  return files.filter(({ text }, index) => text !== '' || attachments[named[index]?.position ?? 0]?.kind !== 'link');
}

function toConversations(rows: readonly MessageRow[]): ExportedConversation[] {
  return [...Map.groupBy(rows, ({ conversation }) => conversation.id).values()].flatMap((group) => {
    const [first] = group;
    const written = group.map(({ conversation: _thread, attachments, ...row }) => ({
      ...row,
      photoCount: attachments.filter(({ kind }) => kind === 'photo').length,
    }));
    return first ? [{ ...first.conversation, messages: written }] : [];
  });
}

/** Reads usage, newest first, up to the limit; returns it oldest first. */
async function readUsage(db: Database, userId: number) {
  const { id, createdAt, kind, model, provider, promptTokens, completionTokens, imageCount, costUsd } = usage;
  const { finishReason, durationMs } = usage;
  const columns = { createdAt, kind, model, provider, promptTokens, completionTokens, imageCount, costUsd };
  const rows: ExportedUsage[] = [];
  let beforeId: string | undefined;
  for (;;) {
    const last = sql`(select ${createdAt}, ${id} from ${usage} where ${id} = ${beforeId})`;
    const isNext = beforeId === undefined ? undefined : sql`(${createdAt}, ${id}) < ${last}`;
    const page = await db
      .select({ id, ...columns, finishReason, durationMs })
      .from(usage)
      .where(and(eq(usage.userId, userId), isNext))
      .orderBy(desc(createdAt), desc(id))
      .limit(PAGE_ROWS);
    for (const { id: _id, ...row } of page) rows.push(row);
    beforeId = page.at(-1)?.id;
    const isComplete = page.length < PAGE_ROWS;
    if (isComplete || rows.length >= MAX_USAGE_ROWS) return { rows: rows.reverse(), isComplete };
    await yieldToEventLoop();
  }
}
