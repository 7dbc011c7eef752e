import type { Message, Update } from 'grammy/types';
import { findAddress, isUser } from '../framework/address.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';
import { isGroup, toPlace, toPlaceKey } from '../framework/place.ts';
import type { IncomingQuestions } from '../inputs/incoming-questions.ts';

/** A question that has waited longer was written while the bot was away. */
const LATE_MS = 3_600_000;
const HOUR_MS = 3_600_000;

/** Decides what becomes of questions that have waited for hours: of those in one place only the last is answered. */
export interface LateQuestions {
  /**
   * Tells people once in a place how long their questions have waited.
   * @returns `keep` where a later question is answered in its place.
   */
  meet(ctx: BotContext, message: Message): Promise<'answer' | 'keep'>;
}

export function createLateQuestions(
  deps: Pick<BotDeps, 'clock'>,
  questions: Pick<IncomingQuestions, 'count'>,
): LateQuestions {
  /** Places where that was told, and the last question is yet to come. */
  const told = new Set<string>();

  return {
    async meet(ctx, message) {
      const ageMs = deps.clock.now() - message.date * 1000;
      if (ageMs <= LATE_MS) return 'answer';
      const key = toPlaceKey(toPlace(message));
      const isHere = (one: Message) =>
        isForBot(one, ctx) && toPlaceKey(toPlace(one)) === key && !isSameAlbum(one, message);
      const waiting = (await ctx.listFollowing()).flatMap((update: Update) => update.message ?? []).filter(isHere);
      const followingCount = questions.count(ctx, waiting);
      if (!told.has(key)) await ctx.reply(ctx.texts.away(toRoughAge(ageMs), 1 + followingCount));
      if (followingCount === 0) {
        told.delete(key);
        return 'answer';
      }
      told.add(key);
      return 'keep';
    },
  };
}

/** Whole hours, except for the first ones: nobody counts minutes after a day. */
function toRoughAge(ageMs: number): number {
  return ageMs < 1.5 * HOUR_MS ? ageMs : Math.round(ageMs / HOUR_MS) * HOUR_MS;
}

function isForBot(message: Message, { me }: BotContext): boolean {
  if (!isUser(message.from) || message.sender_chat || message.via_bot?.id === me.id) return false;
  return !isGroup(message.chat) || findAddress(message, me) !== undefined;
}

/** Its parts still wait, and belong to the question. */
function isSameAlbum({ media_group_id: albumId }: Message, question: Message): boolean {
  return albumId !== undefined && albumId === question.media_group_id;
}
