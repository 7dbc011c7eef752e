import { and, eq, exists, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { contains, toBigintArray } from '../../database/expressions.ts';
import { conversations, messages } from '../../database/schema/index.ts';
import { type ChatTopic, isAt } from './chat-topic.ts';

/** Filter for conversations: one chat or topic, or a chat with all its topics. */
export interface ConversationScope extends ChatTopic {
  readonly hasAllTopics: boolean;
  /** User who opened them. Default: any. */
  readonly userId?: number | undefined;
}

/** A word that was looked up in an index of messages. */
export interface IndexedWord {
  readonly text: string;
  /** Conversations with this word in their messages. */
  readonly conversationIds: readonly number[];
}

export interface ConversationFilter {
  /** Words that must all occur in the title or in the messages, or the same words as an index has found them. */
  readonly search?: string | readonly IndexedWord[] | undefined;
  readonly isArchived: boolean;
}

const MAX_SEARCH_WORDS = 8;

export function isWithin(scope: ConversationScope): SQL | undefined {
  return and(
    ...(scope.hasAllTopics ? [eq(conversations.chatId, scope.chatId)] : isAt(scope)),
    scope.userId === undefined ? undefined : eq(conversations.userId, scope.userId),
  );
}

/** Returns the condition for conversations that a filter lets through. */
export function isListed(db: Database, { search = '', isArchived }: ConversationFilter): SQL | undefined {
  const { archivedAt } = conversations;
  return and(
    isArchived ? isNotNull(archivedAt) : isNull(archivedAt),
    ...(typeof search === 'string'
      ? listSearchWords(search).map((word) => or(hasInTitle(word), hasInMessages(db, word)))
      : search.map(({ text, conversationIds }) => or(hasInTitle(text), isOneOf(conversationIds)))),
  );
}

/** Splits a search into its different words; the first ones if there are many. */
export function listSearchWords(search: string): readonly string[] {
  return [...new Set(search.split(/\s+/).filter(Boolean))].slice(0, MAX_SEARCH_WORDS);
}

function isOneOf(conversationIds: readonly number[]): SQL {
  return sql`${conversations.id} = any (${toBigintArray(conversationIds)})`;
}

function hasInTitle(word: string): SQL {
  return contains(conversations.title, word);
}

function hasInMessages(db: Database, word: string): SQL {
  const saying = alias(messages, 'saying');
  const found = db
    .select({ id: saying.id })
    .from(saying)
    .where(and(eq(saying.conversationId, conversations.id), contains(saying.content, word)));
  return exists(found);
}
