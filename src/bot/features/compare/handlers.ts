import { Composer } from 'grammy';
import type { StoredMessage } from '../../../core/conversations/index.ts';
import { hasText } from '../../answers/answer-keyboard.ts';
import { refreshCompared } from '../../answers/shown-keyboards.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { closeView, showView } from '../../framework/view.ts';
import { findGroupModelNotice } from '../../models/group-model.ts';
import { listChatModels } from '../../models/model-choice.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { createCommand } from './command.ts';
import { findChoice, MAX_MODELS, MIN_MODELS, type ModelChoice, toModelChooser } from './model-chooser.ts';
import type { CompareServices } from './services.ts';
import { texts } from './texts/index.ts';

/** Compared answer whose button was pressed, and its question. */
interface Pressed {
  readonly answer: StoredMessage;
  readonly question: StoredMessage;
}

/**
 * Comparison of models: several answer one question at the same time, each in a message of its own, and the user picks
 * the answer from which the conversation continues.
 */
export function createHandlers(deps: CompareServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    createCommand(deps),
    onAction(deps, 'choose-compared-models', (ctx, action) => findGroupModelNotice(ctx) ?? choose(deps, ctx, action)),
    onAction(deps, 'start-comparison', (ctx, action) => findGroupModelNotice(ctx) ?? start(deps, ctx, action)),
    onAction(deps, 'continue-with', async (ctx, { answerId }) => {
      const pressed = await findPressed(deps, ctx, answerId);
      return 'hint' in pressed ? pressed : pick(deps, ctx, pressed);
    }),
    onAction(deps, 'retry-compared', async (ctx, { answerId }) => {
      const pressed = await findPressed(deps, ctx, answerId);
      return 'hint' in pressed ? pressed : retry(deps, ctx, pressed);
    }),
  );
  return { middleware: composer };
}

type Refusal = ActionAnswer & { readonly hint: string };

/** Returns the question if the conversation has not moved on from it. */
async function findQuestion(
  deps: CompareServices,
  ctx: BotContext,
  questionId: number | undefined,
): Promise<StoredMessage | Refusal> {
  const { conversations } = deps;
  const question = questionId === undefined ? undefined : await conversations.findMessage(questionId);
  const gone = { hint: texts[ctx.locale].movedOn, afterwards: () => ctx.editMessageReplyMarkup().catch(() => {}) };
  if (question?.role !== 'user' || !(await isOfThisChat(deps, ctx, question.conversationId))) return gone;
  const head = await conversations.findLatestMessage(question.conversationId);
  const isLast = head !== undefined && (head.id <= question.id || head.parentId === question.id);
  return isLast ? question : gone;
}

async function findPressed(deps: CompareServices, ctx: BotContext, answerId: number): Promise<Pressed | Refusal> {
  const answer = await deps.conversations.findMessage(answerId);
  const question = await findQuestion(deps, ctx, answer?.parentId);
  if ('hint' in question) return question;
  return answer?.extras.comparison ? { answer, question } : { hint: texts[ctx.locale].movedOn };
}

/** Shows the list, after a change of the choice if a model was pressed. Presses may follow faster than the list changes. */
async function choose(
  deps: CompareServices,
  ctx: BotContext,
  { model, ...action }: CallbackActionOf<'choose-compared-models'>,
): Promise<ActionAnswer> {
  const question = await findQuestion(deps, ctx, action.questionId);
  if ('hint' in question) return question;
  const words = texts[ctx.locale];
  const answer = action.answerId === undefined ? undefined : await deps.conversations.findMessage(action.answerId);
  const before = findChoice(deps, ctx, answer?.model ?? ctx.user.settings.model);
  const models = model === undefined ? before : toggle(before, model);
  if (models.length > MAX_MODELS) return { hint: words.tooMany(MAX_MODELS) };
  if (model !== undefined) await deps.accounts.updateSettings(ctx.user.id, { comparedModels: models });
  return {
    ...(model === undefined && { hint: words.choose }),
    afterwards: () => showChooser(deps, ctx, { ...action, models }, question),
  };
}

function toggle(models: readonly string[], model: string): readonly string[] {
  return models.includes(model) ? models.filter((id) => id !== model) : [...models, model];
}

/** Shows the buttons below the answer, whose text stays, or in the message after `/compare`. */
async function showChooser(
  deps: CompareServices,
  ctx: BotContext,
  choice: ModelChoice,
  question: StoredMessage,
): Promise<void> {
  const keyboard = await toModelChooser(deps, ctx, choice, question.userId ?? ctx.user.id);
  if (choice.answerId === undefined) return showView(ctx, { text: texts[ctx.locale].choose, keyboard });
  await ctx.editMessageReplyMarkup({ reply_markup: keyboard });
}

async function start(
  deps: CompareServices,
  ctx: BotContext,
  { models: shown, ...action }: CallbackActionOf<'start-comparison'>,
): Promise<ActionAnswer> {
  const { answers, catalogue, questionService } = deps;
  const words = texts[ctx.locale];
  const question = await findQuestion(deps, ctx, action.questionId);
  if ('hint' in question) return question;
  const models = findChoice(deps, ctx, undefined);
  const entries = listChatModels(catalogue);
  const chosen = models.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  const gone = shown.find((id) => entries.every((entry) => entry.id !== id));
  if (gone !== undefined || chosen.length < MIN_MODELS) {
    const afterwards = () => showChooser(deps, ctx, { ...action, page: 0, models }, question);
    return { hint: gone === undefined ? words.choose : ctx.texts.models.gone(gone), isAlert: true, afterwards };
  }
  const context = await questionService.prepare(ctx, { conversationId: question.conversationId });
  if (!context) return {};
  const outcome = await answers.compare(context, question, chosen, ctx.callbackQuery?.id ?? '');
  if (outcome === 'under-way') return { hint: ctx.texts.answers.stillWriting };
  if (outcome === 'overloaded') return { hint: ctx.texts.busy, isAlert: true };
  const leave = () => (action.answerId === undefined ? closeView(ctx) : ctx.editMessageReplyMarkup().catch(() => {}));
  return { hint: words.started, afterwards: leave };
}

async function pick(deps: CompareServices, ctx: BotContext, { answer, question }: Pressed): Promise<ActionAnswer> {
  const { answers, conversations } = deps;
  if (!hasText(answer)) return { hint: ctx.texts.answers.stillWriting };
  await conversations.setHead(answer.id);
  const place = { question, chatId: ctx.chatId ?? 0, userId: ctx.user.id };
  const isUnderWay = (id: number) => id !== answer.id && answers.isUnderWay(id);
  return {
    hint: texts[ctx.locale].continuing(answer.extras.comparison?.model ?? ''),
    afterwards: () => refreshCompared(deps, ctx.texts, place, isUnderWay),
  };
}

async function retry(deps: CompareServices, ctx: BotContext, { answer, question }: Pressed): Promise<ActionAnswer> {
  const { answers, catalogue, questionService } = deps;
  const isOpen = answer.finishReason === undefined || answers.isUnderWay(answer.id);
  if (isOpen || hasText(answer)) return { hint: ctx.texts.answers.stillWriting };
  const modelId = answer.model ?? '';
  if (catalogue.find(modelId)?.type !== 'chat') return { hint: ctx.texts.models.gone(modelId), isAlert: true };
  const context = await questionService.prepare(ctx, { modelId, conversationId: question.conversationId });
  if (!context) return {};
  await answers.retryCompared(context, answer, question);
  return { hint: texts[ctx.locale].started };
}
