import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { toPlace, toTypingTopicId } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { closeView } from '../../framework/view.ts';
import { isOfThisChat } from '../threads/own-thread.ts';
import type { VoiceJobs } from './voice-jobs.ts';

/** 🔊 below an answer reads it aloud. */
export function createReadAloudFeature(deps: BotDeps, voices: VoiceJobs): Composer<BotContext> {
  const composer = new Composer<BotContext>();

  const read = async (ctx: BotContext, answerId: number): Promise<PressAnswer> => {
    const { msg, chat, texts } = ctx;
    const answer = await deps.conversations.findMessage(answerId);
    const isHere = answer?.role === 'assistant' && (await isOfThisChat(deps, ctx, answer.threadId));
    if (!msg || !chat || !isHere) return { hint: texts.stalePress };
    if (!deps.speech.isAvailable()) return { hint: texts.voice.unavailable, isAlert: true };
    const place = toPlace(msg);
    const actionTopicId = toTypingTopicId(chat, place);
    const shownIn = await deps.conversations.listShownIn({ answerId, chatId: place.chatId });
    const order = { personId: ctx.person.id, place, texts, actionTopicId, answerId, replyTo: shownIn.at(-1) };
    const outcome = voices.begin(order, answer.content);
    if (outcome === 'started') return { hint: texts.voice.begun };
    return { hint: outcome === 'empty' ? texts.voice.nothing : texts.voice.atIt };
  };

  composer.use(
    onPress(deps, 'read-aloud', (ctx, { answerId }) => read(ctx, answerId)),
    onPress(deps, 'retry-reading-aloud', async (ctx, { answerId }) => {
      const answer = await read(ctx, answerId);
      return answer.isAlert ? answer : { ...answer, afterwards: () => closeView(ctx) };
    }),
  );
  return composer;
}
