import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView, type View } from '../../kit/views.ts';
import { toCreativityName, toSettingsView } from './main-settings.ts';
import { texts } from './texts.ts';

/**
 * Page of `/settings` for the way answers show in the chat: streaming, voice, formatting, reasoning, rating buttons.
 */
export function createAnswerSettings(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const showPage = (ctx: BotContext) => ({
    afterwards: async () => showView(ctx, await toAnswerSettingsView(services, ctx)),
  });
  composer.use(
    onAction(services, 'show-answer-settings', showPage),
    onAction(services, 'list-streamings', (ctx) => ({
      afterwards: async () => showView(ctx, await toStreamingsView(services, ctx)),
    })),
    onAction(services, 'select-streaming', async (ctx, { streaming }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { streaming });
      return showPage(ctx);
    }),
    onAction(services, 'list-voice-replies', (ctx) => ({
      afterwards: async () => showView(ctx, await toVoiceRepliesView(services, ctx)),
    })),
    onAction(services, 'select-voice-replies', async (ctx, { voiceReplies }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { voiceReplies });
      return showPage(ctx);
    }),
    onAction(services, 'switch-rich-messages', async (ctx, { isOn }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { hasRichMessages: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onAction(services, 'switch-feedback-buttons', async (ctx, { isOn }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { feedbackButtons: isOn ? undefined : false });
      return showPage(ctx);
    }),
    onAction(services, 'show-reasoning', async (ctx, { isShown: showsReasoning }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { showsReasoning });
      return showPage(ctx);
    }),
  );
  return composer;
}

/** Returns the page with a button for each option. */
async function toAnswerSettingsView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { voice } = words;
  const { buttons } = ctx.texts;
  const { streaming = 'edits', feedbackButtons = true, voiceReplies = 'never' } = ctx.user.settings;
  const { showsReasoning = true, hasRichMessages = true } = ctx.user.settings;
  const text = [
    words.answersInChat,
    '',
    words.streaming(words.streamings[streaming]),
    ...(services.speech.isAvailable() ? [voice.voiceOption(voice.voiceOptions[voiceReplies])] : []),
    hasRichMessages ? words.richOn : words.richOff,
    showsReasoning ? words.reasoningShown : words.reasoningHidden,
    feedbackButtons ? words.feedbackOn : words.feedbackOff,
  ].join('\n');
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: words.buttons.streaming, action: { kind: 'list-streamings' } },
      ...(services.speech.isAvailable()
        ? [{ text: voice.button, action: { kind: 'list-voice-replies' } } as const]
        : []),
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

async function toStreamingsView(services: BotServices, ctx: BotContext): Promise<View> {
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
  return { text: words.askStreaming, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

async function toVoiceRepliesView(services: BotServices, ctx: BotContext): Promise<View> {
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
  return { text: voice.ask, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

const CREATIVITIES = ['precise', 'balanced', 'creative', undefined] as const;
const LENGTHS = ['short', undefined, 'detailed'] as const;

/** Settings for the creativity and the length of answers. */
export function createAnswerStyle(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-creativities', (ctx) => ({
      afterwards: async () => showView(ctx, await toCreativitiesView(services, ctx)),
    })),
    onAction(services, 'select-creativity', async (ctx, { creativity }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { creativity });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'list-answer-lengths', (ctx) => ({
      afterwards: async () => showView(ctx, await toLengthsView(services, ctx)),
    })),
    onAction(services, 'select-answer-length', async (ctx, { answerLength }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { answerLength });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
  );
  return composer;
}

async function toCreativitiesView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const chosen = ctx.user.settings.creativity;
  const rows = CREATIVITIES.map((one): ActionButton[] => [
    {
      text: toLabel(toCreativityName(ctx, one), one === chosen),
      action: { kind: 'select-creativity', ...(one && { creativity: one }) },
    },
  ]);
  return {
    text: words.askCreativity,
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), [...rows, toBackRow(ctx)]),
  };
}

async function toLengthsView(services: BotServices, ctx: BotContext): Promise<View> {
  const { answerLengths, askAnswerLength } = texts[ctx.locale];
  const chosen = ctx.user.settings.answerLength;
  const rows = LENGTHS.map((one): ActionButton[] => [
    {
      text: toLabel(answerLengths[one ?? 'normal'], one === chosen),
      action: { kind: 'select-answer-length', ...(one && { answerLength: one }) },
    },
  ]);
  return {
    text: askAnswerLength,
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), [...rows, toBackRow(ctx)]),
  };
}

/** Capitalizes a name for a button and marks the chosen one. */
function toLabel(name: string, isChosen: boolean): string {
  return (isChosen ? '✓ ' : '') + name.charAt(0).toUpperCase() + name.slice(1);
}

function toBackRow({ texts }: BotContext): ActionButton[] {
  return [{ text: texts.buttons.back, action: { kind: 'show-settings' } }];
}
