import { Composer } from 'grammy';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { showView, type View } from '../../framework/view.ts';
import type { SettingsServices } from './main-settings.ts';
import { texts } from './texts/index.ts';

/**
 * Page of `/settings` for the way answers show in the chat: streaming, voice, formatting, reasoning, rating buttons.
 */
export function createAnswerSettings(deps: SettingsServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const showPage = (ctx: BotContext) => ({
    afterwards: async () => showView(ctx, await toAnswerSettingsView(deps, ctx)),
  });
  composer.use(
    onPress(deps, 'show-answer-settings', showPage),
    onPress(deps, 'list-streamings', (ctx) => ({
      afterwards: async () => showView(ctx, await toStreamingsView(deps, ctx)),
    })),
    onPress(deps, 'select-streaming', async (ctx, { streaming }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { streaming });
      return showPage(ctx);
    }),
    onPress(deps, 'list-voice-replies', (ctx) => ({
      afterwards: async () => showView(ctx, await toVoiceRepliesView(deps, ctx)),
    })),
    onPress(deps, 'select-voice-replies', async (ctx, { voiceReplies }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { voiceReplies });
      return showPage(ctx);
    }),
    onPress(deps, 'switch-rich-messages', async (ctx, { isOn }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { hasRichMessages: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onPress(deps, 'switch-feedback-buttons', async (ctx, { isOn }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { feedbackButtons: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onPress(deps, 'show-reasoning', async (ctx, { isShown: showsReasoning }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { showsReasoning });
      return showPage(ctx);
    }),
  );
  return composer;
}

/** Returns the page with a button for each option. */
async function toAnswerSettingsView(deps: SettingsServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { voice } = words;
  const { buttons } = ctx.texts;
  const { streaming = 'edits', feedbackButtons = true, voiceReplies = 'never' } = ctx.user.settings;
  const { showsReasoning = true, hasRichMessages = true } = ctx.user.settings;
  const text = [
    words.answersInChat,
    '',
    words.streaming(words.streamings[streaming]),
    ...(deps.speech.isAvailable() ? [voice.wish(voice.wishes[voiceReplies])] : []),
    hasRichMessages ? words.richOn : words.richOff,
    showsReasoning ? words.thoughtsShown : words.thoughtsHidden,
    feedbackButtons ? words.feedbackOn : words.feedbackOff,
  ].join('\n');
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: words.buttons.streaming, choice: { kind: 'list-streamings' } },
      ...(deps.speech.isAvailable() ? [{ text: voice.button, choice: { kind: 'list-voice-replies' } } as const] : []),
    ],
    [
      {
        text: hasRichMessages ? words.turnRichOff : words.turnRichOn,
        choice: { kind: 'switch-rich-messages', isOn: !hasRichMessages },
      },
    ],
    [
      {
        text: showsReasoning ? words.buttons.hideThoughts : words.buttons.showThoughts,
        choice: { kind: 'show-reasoning', isShown: !showsReasoning },
      },
      {
        text: feedbackButtons ? words.hideFeedback : words.showFeedback,
        choice: { kind: 'switch-feedback-buttons', isOn: !feedbackButtons },
      },
    ],
    [
      { text: buttons.back, choice: { kind: 'show-settings' } },
      { text: buttons.close, choice: { kind: 'close-menu' } },
    ],
  ]);
  return { text, keyboard };
}

async function toStreamingsView(deps: SettingsServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const { streaming: chosen = 'edits' } = ctx.user.settings;
  const toRow = (streaming: keyof typeof words.streamings): ChoiceButton[] => [
    {
      text: (streaming === chosen ? '✓ ' : '') + words.streamings[streaming],
      choice: { kind: 'select-streaming', streaming },
    },
  ];
  const rows = [
    toRow('edits'),
    toRow('drafts'),
    toRow('whole'),
    [{ text: buttons.back, choice: { kind: 'show-answer-settings' } } as const],
  ];
  return { text: words.askStreaming, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

async function toVoiceRepliesView(deps: SettingsServices, ctx: BotContext): Promise<View> {
  const { voice } = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const chosen = ctx.user.settings.voiceReplies ?? 'never';
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
