import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type ConversationHistory,
  type ConversationScope,
  type HistoryMessage,
  type ListedConversation,
  toConversationChunks,
} from '../../core/conversations/index.ts';
import { isBlank, toOneLine } from '../../lib/text.ts';
import { notFound } from '../../protocols/http-error.ts';
import { conflict } from '../resources/conflict.ts';
import { toTime } from '../resources/fields.ts';
import { pageShape, sendPage } from '../resources/paged-list.ts';
import { flagSchema, idSchema, readBody, readId, readQuery, searchSchema, textSchema } from '../resources/query.ts';
import { sendText } from '../resources/send-text.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';

/** A conversation in the private chat of the user. */
export interface Conversation {
  readonly id: number;
  /** null: it has no title yet. */
  readonly title: string | null;
  /** Beginning of the first question; may be empty. */
  readonly first_words: string;
  /** Counted up to 1000. */
  readonly message_count: number;
  readonly last_message_at: string;
  /** Whether it is continued by the next message to the bot. */
  readonly is_current: boolean;
  readonly is_archived: boolean;
}

/** A message of the visible branch. */
export interface ConversationMessage {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  /** Model of an answer; null for questions. */
  readonly model: string | null;
  readonly created_at: string;
  /** Markdown, as it was written. */
  readonly content: string;
  readonly photo_count: number;
  /** Names of attached documents, recordings and web pages. */
  readonly files: readonly string[];
}

function toConversation(conversation: ListedConversation): Conversation {
  return {
    id: conversation.id,
    title: conversation.title ?? null,
    first_words: conversation.firstWords,
    message_count: conversation.messageCount,
    last_message_at: toTime(conversation.lastMessageAt),
    is_current: conversation.isCurrent,
    is_archived: conversation.isArchived,
  };
}

function toConversationMessage(message: HistoryMessage): ConversationMessage {
  return {
    id: message.id,
    role: message.role,
    model: message.role === 'assistant' ? message.model : null,
    created_at: toTime(message.createdAt),
    content: message.content,
    photo_count: message.photoCount,
    files: message.files.map(({ name }) => name),
  };
}

const EXPORT_FORMATS = ['markdown', 'json'] as const;

/** Bound of the titles that the bot sets, too. */
const MAX_TITLE_CHARACTERS = 60;

const listSchema = z.strictObject({
  ...pageShape,
  search: searchSchema.optional(),
  archived: flagSchema.optional(),
});
/** Place in a list by the id of a message. */
const messagePlaceSchema = z.tuple([z.int().min(0)]);
const messagesSchema = z.strictObject(pageShape);
const exportSchema = z.strictObject({ format: z.enum(EXPORT_FORMATS, 'must be markdown or json').default('markdown') });
const changesSchema = z.strictObject({
  // A character has at most two UTF-16 units.
  title: textSchema(2 * MAX_TITLE_CHARACTERS)
    .transform(toOneLine)
    .refine((title) => !isBlank(title), 'must not be empty')
    .refine(
      (title) => [...title].length <= MAX_TITLE_CHARACTERS,
      `must have at most ${MAX_TITLE_CHARACTERS} characters`,
    ),
});

/** Adds the conversations of the user's private chat with the bot: list, read, rename, export, delete. */
export function addOwnConversations(server: FastifyInstance, services: HttpServices): void {
  const { conversations, library } = services;
  const find = async (request: FastifyRequest): Promise<ListedConversation> => {
    const found = await conversations.findListedConversation(readId(idSchema, request), toScope(request));
    if (!found) throw notFound('You have no conversation with this id.');
    return found;
  };
  server.get('/api/me/conversations', (request) => {
    const { search, archived: isArchived = false, ...page } = readQuery(listSchema, request);
    return sendPage(
      request,
      page,
      {
        keySchema: messagePlaceSchema,
        async read({ limit, after }) {
          const beforeMessageId = after && Number(after[0]);
          const { userId } = getSession(request);
          const words = search === undefined ? undefined : await library.findConversations({ userId }, search);
          const filter = { search: words, isArchived, beforeMessageId, limit: limit + 1 };
          const listed = await conversations.listConversations(toScope(request), filter);
          const items = listed.slice(0, limit);
          const last = items.at(-1);
          return { items, next: listed.length > limit && last ? [last.lastMessageId] : undefined };
        },
      },
      toConversation,
    );
  });
  server.get('/api/me/conversations/:id', async (request) => toConversation(await find(request)));
  // Newest first, so that a page takes as long in a conversation of any length.
  server.get('/api/me/conversations/:id/messages', async (request) => {
    const page = readQuery(messagesSchema, request);
    const { id } = await find(request);
    return sendPage(
      request,
      page,
      {
        keySchema: messagePlaceSchema,
        async read({ limit, after }) {
          const fromId = after && Number(after[0]);
          const { messages, previousId } = await conversations.readVisibleMessages(id, { fromId, limit });
          return { items: messages, next: previousId === undefined ? undefined : [previousId] };
        },
      },
      toConversationMessage,
    );
  });
  server.get('/api/me/conversations/:id/export', async (request, reply) => {
    const { format } = readQuery(exportSchema, request);
    const conversation = await find(request);
    const history = await conversations.readHistory(conversation.id);
    const { name, mediaType, chunks } = toConversationExport(conversation, history, format);
    const headers = {
      'content-type': `${mediaType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
    };
    return sendText(reply, headers, chunks, services.clock);
  });
  server.patch('/api/me/conversations/:id', async (request): Promise<Conversation> => {
    const { title } = await readBody(changesSchema, request);
    const conversation = await find(request);
    await conversations.renameConversation(conversation.id, title);
    return toConversation({ ...conversation, title });
  });
  server.delete('/api/me/conversations/:id', async (request, reply) => {
    const { id } = await find(request);
    if ((await conversations.listOpenAnswers(id)).length > 0) {
      throw conflict(
        'An answer is being written in this conversation. Wait until it is complete, or send /stop.',
        undefined,
        'running',
      );
    }
    await conversations.deleteConversation(id);
    return reply.code(204).send();
  });
}

/** Returns the scope of the user's private chat, whose id is the user's Telegram id. */
function toScope(request: FastifyRequest): ConversationScope {
  const { userId, telegramId } = getSession(request);
  return { chatId: telegramId, topicId: undefined, hasAllTopics: true, userId };
}

/** A conversation as a file, with all its branches. */
interface ConversationExport {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: AsyncGenerator<string, void>;
}

function toConversationExport(
  conversation: ListedConversation,
  history: ConversationHistory,
  format: (typeof EXPORT_FORMATS)[number],
): ConversationExport {
  const name = `conversation-${conversation.id}`;
  if (format === 'json') {
    const head = { ...toConversation(conversation), is_complete: history.isComplete };
    const chunks = toLongChunks(toJsonChunks(head, history.messages));
    return { name: `${name}.json`, mediaType: 'application/json', chunks };
  }
  const title = conversation.title ?? (toOneLine(conversation.firstWords) || `Conversation ${conversation.id}`);
  const chunks = toLongChunks(toConversationChunks({ ...history, title }, 'You'));
  return { name: `${name}.md`, mediaType: 'text/markdown', chunks };
}

/** Formats an object with a list of messages as its last field. */
function* toJsonChunks(head: object, messages: readonly HistoryMessage[]): Generator<string, void> {
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "messages": [`;
  for (const [at, message] of messages.entries()) {
    const fields = { ...toConversationMessage(message), parent_id: message.parentId };
    yield `${at === 0 ? '' : ','}\n    ${JSON.stringify(fields)}`;
  }
  yield '\n  ]\n}\n';
}

/** Characters of a chunk: encoding them blocks the thread for less than a millisecond. */
const CHUNK_CHARACTERS = 100_000;

/** Joins short chunks, because each is sent on its own. */
async function* toLongChunks(chunks: Iterable<string>): AsyncGenerator<string, void> {
  let text = '';
  for (const chunk of chunks) {
    text += chunk.toWellFormed();
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
