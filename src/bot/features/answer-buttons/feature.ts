import { Composer } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import { z } from 'zod';
import type { StoredMessage } from '../../../core/conversations/index.ts';
import { retry } from '../../answers/failure-message.ts';
import { buildAnswerKeyboard, buildMoreKeyboard, isUnfinished } from '../../answers/keyboards.ts';
import { askPermission } from '../../answers/permission.ts';
import { findGroupModelNotice, shortenMiddle } from '../../choices/model-choice.ts';
import { type ActionAnswer, type ActionDefinitions, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView } from '../../kit/views.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { toAnswerModelKeyboard } from './model-keyboard.ts';
import { decide, findAnswer } from './permission.ts';
import { texts } from './texts.ts';

/** Answer that the button belongs to. */
const answer = { answerId: z.number() };
/** The user who asked and, in groups, the chat's admins. */
const access = 'user-or-admin';

const actions = {
  retry: { fields: { retry } },
  regenerate: { fields: { ...answer, model: z.string().optional() }, access },
  /** Retry below the message about a failed variant, for this question. */
  'retry-variant': { fields: { ...answer, questionId: z.number(), model: z.string().optional() }, access },
  'continue-answer': { fields: answer, access },
  /** Retry below the message about a failed continuation. */
  'retry-continuation': { fields: answer, access },
  'turn-variant': { fields: { ...answer, by: z.number() }, access },
  'describe-variant': { fields: answer, access },
  'list-answer-models': { fields: { ...answer, page: z.number() }, access },
  // For all users: these lead to 👍 and 👎.
  'show-answer-buttons': { fields: answer, access: 'everyone' },
  'list-more-answer-buttons': { fields: answer, access: 'everyone' },
  /** Below the request to permit a tool call. */
  'permit-tool': {
    fields: { ...answer, pauseId: z.string(), permission: z.enum(['once', 'always', 'no']) },
    access,
  },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * Buttons below answers. Finished: other variants, continuation, another model, and switching between variants. Failed:
 * *Retry*. Paused at a tool call: allow or deny.
 */
export const answerButtons: Feature = { actions, create: createHandlers };

/** Answer whose button was pressed, and its question. */
interface Pressed {
  readonly answer: StoredMessage;
  readonly question: StoredMessage;
}

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const { answers, questionService, conversations, catalogue } = services;

  /**
   * Calls `handle` if the answer is still the last one of its conversation; otherwise returns a notice with the reason.
   */
  const withAnswer = async (
    ctx: BotContext,
    answerId: number,
    handle: (pressed: Pressed) => Promise<ActionAnswer>,
  ): Promise<ActionAnswer> => {
    const found = await findPressed(ctx, answerId);
    return 'hint' in found ? found : handle(found);
  };

  const findPressed = async (
    ctx: BotContext,
    answerId: number,
  ): Promise<Pressed | (ActionAnswer & { hint: string })> => {
    const words = texts[ctx.locale];
    const message = ctx.callbackQuery?.message;
    const { answer, question } = await findAnswer(services, answerId);
    const gone = { hint: words.movedOn, afterwards: () => removeKeyboard(ctx) };
    if (!message || !answer || !question) return gone;
    if (!(await isOfThisChat(services, ctx, answer.conversationId))) return gone;
    const position = await answers.findPosition(answer, toChatTopic(message));
    if (position === 'left-behind') return gone;
    if (position === 'under-way') return { hint: ctx.texts.answers.stillWriting };
    const shown = await conversations.findByDelivery(message.chat.id, message.message_id);
    const showsOtherAnswer = shown !== undefined && shown.id !== answerId;
    return showsOtherAnswer ? { hint: words.changed } : { answer, question };
  };

  const replace = async (
    ctx: BotContext,
    { answer, question, model }: Pressed & { readonly model: string | undefined },
  ): Promise<ActionAnswer> => {
    const isSet = findGroupModelNotice(ctx);
    if (isSet && model !== undefined && model !== ctx.group?.settings.model) return isSet;
    if (model !== undefined && catalogue.find(model)?.type !== 'chat')
      return { hint: ctx.texts.models.gone(model), isAlert: true };
    const context = await questionService.prepare(ctx, { modelId: model, conversationId: answer.conversationId });
    if (!context) return {};
    await answers.replace(context, answer, question, undefined);
    return { hint: texts[ctx.locale].anotherOne };
  };

  const continueAnswer = async (ctx: BotContext, { answer, question }: Pressed): Promise<ActionAnswer> => {
    // A concurrent callback query may have completed the answer.
    if (!isUnfinished(answer)) return { hint: texts[ctx.locale].changed };
    const context = await questionService.prepare(ctx, {
      modelId: answer.model,
      conversationId: answer.conversationId,
    });
    if (!context) return {};
    await answers.continue(context, answer, question);
    return { hint: texts[ctx.locale].continuing };
  };

  /** Removes the message about the failed attempt when the next one starts. */
  const closing = (ctx: BotContext, answer: ActionAnswer): ActionAnswer =>
    answer.isAlert ? answer : { ...answer, afterwards: () => closeView(ctx) };

  const turn = async (ctx: BotContext, { answer, question }: Pressed, by: number): Promise<ActionAnswer> => {
    const variants = await conversations.listVariants(answer.id);
    const index = variants.findIndex(({ id }) => id === answer.id);
    const chosen = variants.at((index + by) % variants.length);
    const context = chosen && chosen.id !== answer.id ? await questionService.prepare(ctx) : undefined;
    if (chosen && context) await answers.selectVariant(context, answer, chosen, question);
    return {};
  };

  const describe = async ({ locale }: BotContext, { answer }: Pressed): Promise<ActionAnswer> => {
    const variants = await conversations.listVariants(answer.id);
    const number = variants.findIndex(({ id }) => id === answer.id) + 1;
    const model = shortenMiddle(answer.model ?? '?', MAX_HINT_NAME_CHARACTERS);
    return { hint: texts[locale].variant(number, variants.length, model), isAlert: true };
  };

  const ownerOf = (ctx: BotContext, { question }: Pressed) => question.userId ?? ctx.user.id;

  const toFinished = (ctx: BotContext, pressed: Pressed) => ({
    ...{ answer: pressed.answer, userId: ownerOf(ctx, pressed), chatId: ctx.chatId ?? 0, hasFailed: false },
  });

  composer.use(
    onAction(services, 'retry', async (ctx, { retry }) => {
      if (!(await answers.canRetry(retry))) return { hint: ctx.texts.movedOn };
      return {
        afterwards: async () => {
          if (await questionService.askAgain(ctx, retry)) await closeView(ctx);
        },
      };
    }),
    onAction(services, 'permit-tool', (ctx, pressed) => decide(services, ctx, pressed)),
    onAction(services, 'regenerate', (ctx, { answerId, model }) =>
      withAnswer(ctx, answerId, (pressed) => replace(ctx, { ...pressed, model })),
    ),
    onAction(services, 'retry-variant', (ctx, { answerId, questionId, model }) =>
      withAnswer(ctx, answerId, async (pressed) => {
        const edited = await conversations.findMessage(questionId);
        const question = edited?.conversationId === pressed.answer.conversationId ? edited : pressed.question;
        return closing(ctx, await replace(ctx, { ...pressed, question, model }));
      }),
    ),
    onAction(services, 'continue-answer', (ctx, { answerId }) =>
      withAnswer(ctx, answerId, (pressed) => continueAnswer(ctx, pressed)),
    ),
    onAction(services, 'retry-continuation', (ctx, { answerId }) =>
      withAnswer(ctx, answerId, async (pressed) => closing(ctx, await continueAnswer(ctx, pressed))),
    ),
    onAction(services, 'turn-variant', (ctx, { answerId, by }) =>
      withAnswer(ctx, answerId, (pressed) => turn(ctx, pressed, by)),
    ),
    onAction(services, 'describe-variant', (ctx, { answerId }) =>
      withAnswer(ctx, answerId, (pressed) => describe(ctx, pressed)),
    ),
    onAction(services, 'list-answer-models', (ctx, { answerId, page }) =>
      withAnswer(
        ctx,
        answerId,
        async (pressed) =>
          findGroupModelNotice(ctx) ?? {
            afterwards: async () => {
              const listing = { page, userId: ownerOf(ctx, pressed) };
              await showButtons(ctx, await toAnswerModelKeyboard(services, ctx, pressed.answer, listing));
            },
          },
      ),
    ),
    onAction(services, 'show-answer-buttons', (ctx, { answerId }) =>
      withAnswer(ctx, answerId, async (pressed) => ({
        afterwards: async () =>
          showButtons(ctx, await buildAnswerKeyboard(services, ctx.texts, toFinished(ctx, pressed))),
      })),
    ),
    onAction(services, 'list-more-answer-buttons', (ctx, { answerId }) =>
      withAnswer(ctx, answerId, async (pressed) => ({
        afterwards: async () =>
          showButtons(ctx, await buildMoreKeyboard(services, ctx.texts, toFinished(ctx, pressed))),
      })),
    ),
  );
  return { middleware: composer, afterShown: (shown, signal) => askPermission(services, shown, signal) };
}

/** An alert is limited to 200 characters. */
const MAX_HINT_NAME_CHARACTERS = 120;

async function showButtons(ctx: BotContext, keyboard: InlineKeyboardMarkup | undefined): Promise<void> {
  await ctx.editMessageReplyMarkup(keyboard ? { reply_markup: keyboard } : {});
}

async function removeKeyboard(ctx: BotContext): Promise<void> {
  await ctx.editMessageReplyMarkup().catch(() => undefined);
}
