import type { Message, Update } from 'grammy/types';
import { findAddress, isUser } from '../kit/address.ts';
import { isGroup, toChatTopic, toChatTopicKey } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/** An older question was sent while the bot was offline. */
const LATE_MS = 3_600_000;
const HOUR_MS = 3_600_000;

/** Creates the policy for questions from the time when the bot was offline: only the last one of each topic is answered. */
export function createLateQuestions(services: BotServices) {
  /** Topics with a notice whose last question is still in the queue. */
  const notifiedTopics = new Set<string>();

  return {
    /**
     * Decides about a question, and sends one notice per topic about the delay.
     * @returns `store` if a later question will be answered instead.
     */
    async decide(ctx: BotContext, message: Message): Promise<'answer' | 'store'> {
      const ageMs = services.clock.now() - message.date * 1000;
      if (ageMs <= LATE_MS) return 'answer';
      const key = toChatTopicKey(toChatTopic(message));
      const isHere = (one: Message) =>
        isForBot(one, ctx) && toChatTopicKey(toChatTopic(one)) === key && !isSameAlbum(one, message);
      const waiting = (await ctx.listFollowing()).flatMap((update: Update) => update.message ?? []).filter(isHere);
      const followingCount = services.questions.count(ctx, waiting);
      if (!notifiedTopics.has(key)) await ctx.reply(ctx.texts.away(toRoughAge(ageMs), 1 + followingCount));
      if (followingCount === 0) {
        notifiedTopics.delete(key);
        return 'answer';
      }
      notifiedTopics.add(key);
      return 'store';
    },
  };
}

/** Rounds to hours, except for the first hours. */
function toRoughAge(ageMs: number): number {
  return ageMs < 1.5 * HOUR_MS ? ageMs : Math.round(ageMs / HOUR_MS) * HOUR_MS;
}

function isForBot(message: Message, { me }: BotContext): boolean {
  if (!isUser(message.from) || message.sender_chat || message.via_bot?.id === me.id) return false;
  return !isGroup(message.chat) || findAddress(message, me) !== undefined;
}

/** The other parts of the album belong to the question. */
function isSameAlbum({ media_group_id: albumId }: Message, question: Message): boolean {
  return albumId !== undefined && albumId === question.media_group_id;
}
