import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { showView, type View } from '../../framework/view.ts';

/** The page of `/settings` about answers in the chat: how they come, and what of them shows. */
export function createAnswerSettingsFeature(deps: BotDeps): Composer<BotContext> {
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
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { streaming });
      return showPage(ctx);
    }),
    onPress(deps, 'switch-rich-messages', async (ctx, { isOn }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { hasRichMessages: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onPress(deps, 'switch-feedback-buttons', async (ctx, { isOn }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { feedbackButtons: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onPress(deps, 'show-reasoning', async (ctx, { isShown: showsReasoning }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { showsReasoning });
      return showPage(ctx);
    }),
  );
  return composer;
}

/** How answers come, and a button for each of it. */
export async function toAnswerSettingsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { settings, buttons, voice } = ctx.texts;
  const { streaming = 'edits', feedbackButtons = true, voiceReplies = 'never' } = ctx.person.settings;
  const { showsReasoning = true, hasRichMessages = true } = ctx.person.settings;
  const text = [
    settings.answersInChat,
    '',
    settings.streaming(settings.streamings[streaming]),
    ...(deps.speech.isAvailable() ? [voice.wish(voice.wishes[voiceReplies])] : []),
    hasRichMessages ? settings.richOn : settings.richOff,
    showsReasoning ? settings.thoughtsShown : settings.thoughtsHidden,
    feedbackButtons ? settings.feedbackOn : settings.feedbackOff,
  ].join('\n');
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: buttons.streaming, choice: { kind: 'list-streamings' } },
      ...(deps.speech.isAvailable() ? [{ text: voice.button, choice: { kind: 'list-voice-replies' } } as const] : []),
    ],
    [
      {
        text: hasRichMessages ? settings.turnRichOff : settings.turnRichOn,
        choice: { kind: 'switch-rich-messages', isOn: !hasRichMessages },
      },
    ],
    [
      {
        text: showsReasoning ? buttons.hideThoughts : buttons.showThoughts,
        choice: { kind: 'show-reasoning', isShown: !showsReasoning },
      },
      {
        text: feedbackButtons ? settings.hideFeedback : settings.showFeedback,
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

async function toStreamingsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { buttons, settings } = ctx.texts;
  const { streaming: chosen = 'edits' } = ctx.person.settings;
  const toRow = (streaming: keyof typeof settings.streamings): ChoiceButton[] => [
    {
      text: (streaming === chosen ? '✓ ' : '') + settings.streamings[streaming],
      choice: { kind: 'select-streaming', streaming },
    },
  ];
  const rows = [
    toRow('edits'),
    toRow('drafts'),
    toRow('whole'),
    [{ text: buttons.back, choice: { kind: 'show-answer-settings' } } as const],
  ];
  return { text: settings.askStreaming, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}
