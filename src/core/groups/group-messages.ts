import { and, desc, eq, gt, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { groupMessages, groups } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChatTopic } from '../conversations/index.ts';

/** A group message not addressed to the bot. */
export interface GroupMessage {
  readonly telegramMessageId: number;
  /** Telegram id of the author: a user, bot or channel. */
  readonly authorId: number;
  readonly authorName: string;
  readonly content: string;
  readonly sentAt: Date;
}

/** Maximum number of messages stored for a chat or topic. */
const MAX_GROUP_MESSAGES = 50;
export const MAX_GROUP_MESSAGE_AGE_MS = 86_400_000;
/** Maximum length of one message. */
const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_NAME_CHARACTERS = 64;

/** Stores recent messages of groups that have enabled it, separately for each topic. */
export function createGroupMessages({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  const oldest = () => new Date(clock.now() - MAX_GROUP_MESSAGE_AGE_MS);
  const isInTopic = ({ chatId, topicId = 0 }: ChatTopic) =>
    and(eq(groupMessages.chatId, chatId), eq(groupMessages.topicId, topicId));

  return {
    /**
     * Stores a message and deletes messages that are too old or too many. Does nothing in groups that have not enabled
     * it. Idempotent.
     */
    async storeMessages(chatTopic: ChatTopic, { authorName, content, sentAt, ...line }: GroupMessage): Promise<void> {
      if (sentAt < oldest()) return;
      const { chatId, topicId = 0 } = chatTopic;
      const texts = { authorName: cut(authorName, MAX_NAME_CHARACTERS), content: cut(content, MAX_MESSAGE_CHARACTERS) };
      await db.transaction(async (tx) => {
        // A group that is switched off at the same time waits for this lock, then deletes this message as well.
        const enabledGroups = await tx
          .select({ id: groups.chatId })
          .from(groups)
          .where(and(eq(groups.chatId, chatId), eq(groups.storesRecentMessages, true)))
          .for('share');
        if (enabledGroups.length === 0) return;
        await tx
          .insert(groupMessages)
          .values({ ...line, ...texts, chatId, topicId, sentAt })
          .onConflictDoNothing();
        const firstSurplus = tx
          .select({ id: groupMessages.telegramMessageId })
          .from(groupMessages)
          .where(isInTopic(chatTopic))
          .orderBy(desc(groupMessages.telegramMessageId))
          .offset(MAX_GROUP_MESSAGES)
          .limit(1);
        const isSurplus = and(isInTopic(chatTopic), sql`${groupMessages.telegramMessageId} <= (${firstSurplus})`);
        const isOld = lt(groupMessages.sentAt, oldest());
        await tx.delete(groupMessages).where(and(eq(groupMessages.chatId, chatId), or(isSurplus, isOld)));
      });
    },
    /** Updates the text of a stored message. */
    async changeRecentMessages(
      chatId: number,
      { telegramMessageId, content }: Pick<GroupMessage, 'telegramMessageId' | 'content'>,
    ): Promise<void> {
      await db
        .update(groupMessages)
        .set({ content: cut(content, MAX_MESSAGE_CHARACTERS) })
        .where(and(eq(groupMessages.chatId, chatId), eq(groupMessages.telegramMessageId, telegramMessageId)));
    },
    /**
     * Returns the messages of a chat or topic, oldest first.
     * @param before Telegram id of the question; only earlier messages are returned.
     */
    async listRecentMessages(chatTopic: ChatTopic, before?: number): Promise<readonly GroupMessage[]> {
      const rows = await db
        .select()
        .from(groupMessages)
        .where(
          and(
            isInTopic(chatTopic),
            gt(groupMessages.sentAt, oldest()),
            before === undefined ? undefined : lt(groupMessages.telegramMessageId, before),
          ),
        )
        .orderBy(desc(groupMessages.telegramMessageId))
        .limit(MAX_GROUP_MESSAGES);
      return rows.toReversed().map(({ chatId: _chatId, topicId: _topicId, ...line }) => line);
    },
  };
}

function cut(text: string, maxCharacters: number): string {
  const characters = [...toStorableText(text)];
  return characters.length <= maxCharacters ? characters.join('') : `${characters.slice(0, maxCharacters).join('')}…`;
}
