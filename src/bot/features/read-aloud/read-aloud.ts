import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { toPlace, toTypingTopicId } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { closeView, showView, type View } from '../../framework/view.ts';
import { toAnswerSettingsView } from '../settings/answer-settings.ts';
import { isOfThisChat } from '../threads/own-thread.ts';
import type { VoiceJobs } from './voice-jobs.ts';

/** 🔊 below an answer reads it aloud; in `/settings` people choose which answers are read by themselves. */
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
    onPress(deps, 'list-voice-replies', (ctx) => ({
      afterwards: async () => showView(ctx, await toChoiceView(deps, ctx)),
    })),
    onPress(deps, 'select-voice-replies', async (ctx, { voiceReplies }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { voiceReplies });
      return { afterwards: async () => showView(ctx, await toAnswerSettingsView(deps, ctx)) };
    }),
  );
  return composer;
}

async function toChoiceView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { buttons, voice } = ctx.texts;
  const chosen = ctx.person.settings.voiceReplies ?? 'never';
  const toRow = (wish: keyof typeof voice.wishes): ChoiceButton[] => [
    {
      text: (wish === chosen ? '✓ ' : '') + voice.wishes[wish],
      choice: { kind: 'select-voice-replies', ...(wish !== 'never' && { voiceReplies: wish }) },
    },
  ];
  const rows = [
    toRow('never'),
    toRow('to-voice'),
    toRow('always'),
    [{ text: buttons.back, choice: { kind: 'show-answer-settings' } } as const],
  ];
  return { text: voice.ask, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}
