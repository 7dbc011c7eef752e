import { and, desc, eq, gt, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { groups, groupTalk } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChatTopic } from '../conversations/index.ts';

/** A group message not addressed to the bot. */
export interface TalkLine {
  readonly telegramMessageId: number;
  /** Telegram id of the author: a user, bot or channel. */
  readonly speakerId: number;
  readonly speakerName: string;
  readonly content: string;
  readonly saidAt: Date;
}

/** Recent messages of groups that have enabled it, separately for each topic. */
export interface GroupTalk {
  /**
   * Stores a message and deletes messages that are too old or too many. Does nothing in groups that have not enabled
   * it. Idempotent.
   */
  keepTalk(chatTopic: ChatTopic, line: TalkLine): Promise<void>;
  /** Updates the text of a stored message. */
  changeTalk(chatId: number, line: Pick<TalkLine, 'telegramMessageId' | 'content'>): Promise<void>;
  /**
   * Returns the messages of a chat or topic, oldest first.
   * @param before Telegram id of the question; only earlier messages are returned.
   */
  listTalk(chatTopic: ChatTopic, before?: number): Promise<readonly TalkLine[]>;
}

/** Maximum number of messages stored for a chat or topic. */
const MAX_TALK_LINES = 50;
export const MAX_TALK_AGE_MS = 86_400_000;
/** Maximum length of one message. */
const MAX_LINE_CHARACTERS = 1000;
const MAX_NAME_CHARACTERS = 64;

export function createGroupTalk({ db, clock }: { readonly db: Database; readonly clock: Clock }): GroupTalk {
  const oldest = () => new Date(clock.now() - MAX_TALK_AGE_MS);
  const isInTopic = ({ chatId, topicId = 0 }: ChatTopic) =>
    and(eq(groupTalk.chatId, chatId), eq(groupTalk.topicId, topicId));

  return {
    async keepTalk(chatTopic, { speakerName, content, saidAt, ...line }) {
      if (saidAt < oldest()) return;
      const { chatId, topicId = 0 } = chatTopic;
      const texts = { speakerName: cut(speakerName, MAX_NAME_CHARACTERS), content: cut(content, MAX_LINE_CHARACTERS) };
      await db.transaction(async (tx) => {
        // A group that is switched off at the same time waits for this lock, then deletes this message as well.
        const enabledGroups = await tx
          .select({ id: groups.chatId })
          .from(groups)
          .where(and(eq(groups.chatId, chatId), eq(groups.remembersTalk, true)))
          .for('share');
        if (enabledGroups.length === 0) return;
        await tx
          .insert(groupTalk)
          .values({ ...line, ...texts, chatId, topicId, saidAt })
          .onConflictDoNothing();
        const firstSurplus = tx
          .select({ id: groupTalk.telegramMessageId })
          .from(groupTalk)
          .where(isInTopic(chatTopic))
          .orderBy(desc(groupTalk.telegramMessageId))
          .offset(MAX_TALK_LINES)
          .limit(1);
        const isSurplus = and(isInTopic(chatTopic), sql`${groupTalk.telegramMessageId} <= (${firstSurplus})`);
        const isOld = lt(groupTalk.saidAt, oldest());
        await tx.delete(groupTalk).where(and(eq(groupTalk.chatId, chatId), or(isSurplus, isOld)));
      });
    },
    async changeTalk(chatId, { telegramMessageId, content }) {
      await db
        .update(groupTalk)
        .set({ content: cut(content, MAX_LINE_CHARACTERS) })
        .where(and(eq(groupTalk.chatId, chatId), eq(groupTalk.telegramMessageId, telegramMessageId)));
    },
    async listTalk(chatTopic, before) {
      const rows = await db
        .select()
        .from(groupTalk)
        .where(
          and(
            isInTopic(chatTopic),
            gt(groupTalk.saidAt, oldest()),
            before === undefined ? undefined : lt(groupTalk.telegramMessageId, before),
          ),
        )
        .orderBy(desc(groupTalk.telegramMessageId))
        .limit(MAX_TALK_LINES);
      return rows.toReversed().map(({ chatId: _chatId, topicId: _topicId, ...line }) => line);
    },
  };
}

function cut(text: string, maxCharacters: number): string {
  const characters = [...toStorableText(text)];
  return characters.length <= maxCharacters ? characters.join('') : `${characters.slice(0, maxCharacters).join('')}…`;
}
