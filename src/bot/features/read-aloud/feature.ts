import { Composer } from 'grammy';
import { z } from 'zod';
import { type ActionAnswer, type ActionDefinitions, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { toChatTopic, toTypingTopicId } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView } from '../../kit/views.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { speakAnswer, startReadingAloud, voiceKind } from './read-aloud.ts';
import { texts } from './texts.ts';

const answer = { answerId: z.number() };

const actions = {
  'read-aloud': { fields: answer, access: 'user-or-admin' },
  /** Below the message about a failed reading. */
  'retry-reading-aloud': { fields: answer },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** 🔊 below answers: reads one aloud. */
export const readAloud: Feature = { actions, jobs: [voiceKind], create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();

  const read = async (ctx: BotContext, answerId: number): Promise<ActionAnswer> => {
    const { msg, chat } = ctx;
    const words = texts[ctx.locale];
    const answer = await services.conversations.findMessage(answerId);
    const isHere = answer?.role === 'assistant' && (await isOfThisChat(services, ctx, answer.conversationId));
    if (!msg || !chat || !isHere) return { hint: ctx.texts.staleButton };
    if (!services.speech.isAvailable()) return { hint: words.unavailable, isAlert: true };
    const chatTopic = toChatTopic(msg);
    const typingTopicId = toTypingTopicId(chat, chatTopic);
    const shownIn = await services.conversations.listShownIn({ answerId, chatId: chatTopic.chatId });
    const options = {
      userId: ctx.user.id,
      chatTopic,
      texts: ctx.texts,
      typingTopicId,
      answerId,
      replyTo: shownIn.at(-1),
    };
    const outcome = startReadingAloud(services, options, answer.content);
    if (outcome === 'started') return { hint: words.begun };
    return { hint: outcome === 'empty' ? words.nothing : words.atIt };
  };

  composer.use(
    onAction(services, 'read-aloud', (ctx, { answerId }) => read(ctx, answerId)),
    onAction(services, 'retry-reading-aloud', async (ctx, { answerId }) => {
      const answer = await read(ctx, answerId);
      return answer.isAlert ? answer : { ...answer, afterwards: () => closeView(ctx) };
    }),
  );
  return { middleware: composer, onSettled: (answer) => void speakAnswer(services, answer) };
}
