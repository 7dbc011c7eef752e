import { Composer } from 'grammy';
import type { BotContext } from '../../framework/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onAction } from '../../framework/on-action.ts';
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
    onAction(deps, 'show-answer-settings', showPage),
    onAction(deps, 'list-streamings', (ctx) => ({
      afterwards: async () => showView(ctx, await toStreamingsView(deps, ctx)),
    })),
    onAction(deps, 'select-streaming', async (ctx, { streaming }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { streaming });
      return showPage(ctx);
    }),
    onAction(deps, 'list-voice-replies', (ctx) => ({
      afterwards: async () => showView(ctx, await toVoiceRepliesView(deps, ctx)),
    })),
    onAction(deps, 'select-voice-replies', async (ctx, { voiceReplies }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { voiceReplies });
      return showPage(ctx);
    }),
    onAction(deps, 'switch-rich-messages', async (ctx, { isOn }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { hasRichMessages: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onAction(deps, 'switch-feedback-buttons', async (ctx, { isOn }) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { feedbackButtons: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onAction(deps, 'show-reasoning', async (ctx, { isShown: showsReasoning }) => {
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
    ...(deps.speech.isAvailable() ? [voice.voiceOption(voice.voiceOptions[voiceReplies])] : []),
    hasRichMessages ? words.richOn : words.richOff,
    showsReasoning ? words.reasoningShown : words.reasoningHidden,
    feedbackButtons ? words.feedbackOn : words.feedbackOff,
  ].join('\n');
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: words.buttons.streaming, action: { kind: 'list-streamings' } },
      ...(deps.speech.isAvailable() ? [{ text: voice.button, action: { kind: 'list-voice-replies' } } as const] : []),
    ],
    [
      {
        text: hasRichMessages ? words.turnRichOff : words.turnRichOn,
        action: { kind: 'switch-rich-messages', isOn: !hasRichMessages },
      },
    ],
    [
      {
        text: showsReasoning ? words.buttons.hideReasoning : words.buttons.showReasoning,
        action: { kind: 'show-reasoning', isShown: !showsReasoning },
      },
      {
        text: feedbackButtons ? words.hideFeedback : words.showFeedback,
        action: { kind: 'switch-feedback-buttons', isOn: !feedbackButtons },
      },
    ],
    [
      { text: buttons.back, action: { kind: 'show-settings' } },
      { text: buttons.close, action: { kind: 'close-menu' } },
    ],
  ]);
  return { text, keyboard };
}

async function toStreamingsView(deps: SettingsServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const { streaming: chosen = 'edits' } = ctx.user.settings;
  const toRow = (streaming: keyof typeof words.streamings): ActionButton[] => [
    {
      text: (streaming === chosen ? '✓ ' : '') + words.streamings[streaming],
      action: { kind: 'select-streaming', streaming },
    },
  ];
  const rows = [
    toRow('edits'),
    toRow('drafts'),
    toRow('whole'),
    [{ text: buttons.back, action: { kind: 'show-answer-settings' } } as const],
  ];
  return { text: words.askStreaming, keyboard: await storeKeyboard(deps, toButtonTarget(ctx), rows) };
}

async function toVoiceRepliesView(deps: SettingsServices, ctx: BotContext): Promise<View> {
  const { voice } = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const chosen = ctx.user.settings.voiceReplies ?? 'never';
  const toRow = (voiceOption: keyof typeof voice.voiceOptions): ActionButton[] => [
    {
      text: (voiceOption === chosen ? '✓ ' : '') + voice.voiceOptions[voiceOption],
      action: { kind: 'select-voice-replies', ...(voiceOption !== 'never' && { voiceReplies: voiceOption }) },
    },
  ];
  const rows = [
    toRow('never'),
    toRow('to-voice'),
    toRow('always'),
    [{ text: buttons.back, action: { kind: 'show-answer-settings' } } as const],
  ];
  return { text: voice.ask, keyboard: await storeKeyboard(deps, toButtonTarget(ctx), rows) };
}
