import { Composer } from 'grammy';
import { z } from 'zod';
import type { StoredMessage } from '../../../core/conversations/index.ts';
import { createComparedAnswers, refreshCompared } from '../../answers/comparisons.ts';
import { hasText } from '../../answers/keyboards.ts';
import { findGroupModelNotice, listChatModels } from '../../choices/model-choice.ts';
import {
  type ActionAnswer,
  type ActionDefinitions,
  type CallbackActionOf,
  type CallbackActionsOf,
  onAction,
} from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView, showView } from '../../kit/views.ts';
import { isOfThisChat } from '../conversations/own-conversation.ts';
import { createCommand } from './command.ts';
import { texts } from './texts.ts';
import { findChoice, MAX_MODELS, MIN_MODELS, type ModelChoice, toModelChooser } from './views.ts';

/** Question to compare answers to. `answerId`: the answer below which the models are chosen; none after `/compare`. */
const question = { questionId: z.number(), answerId: z.number().optional() };
const answer = { answerId: z.number() };
/** The user who asked and, in groups, the chat's admins. */
const access = 'user-or-admin';

const actions = {
  /** `model`: the model to select or deselect; none to show the list. */
  'choose-compared-models': { fields: { ...question, page: z.number(), model: z.string().optional() }, access },
  /** `models`: as shown on the buttons. */
  'start-comparison': { fields: { ...question, models: z.array(z.string()) }, access },
  'continue-with': { fields: answer, access },
  /** Retry below a compared answer that failed. */
  'retry-compared': { fields: answer, access },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/compare` and *Compare* in the list of models below an answer: several models answer one question at the same time,
 * each in a message of its own, and the user picks the answer from which the conversation continues.
 */
export const compare: Feature = {
  commands: [{ name: 'compare', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    createCommand(services),
    onAction(
      services,
      'choose-compared-models',
      (ctx, action) => findGroupModelNotice(ctx) ?? choose(services, ctx, action),
    ),
    onAction(services, 'start-comparison', (ctx, action) => findGroupModelNotice(ctx) ?? start(services, ctx, action)),
    onAction(services, 'continue-with', async (ctx, { answerId }) => {
      const pressed = await findPressed(services, ctx, answerId);
      return 'hint' in pressed ? pressed : pick(services, ctx, pressed);
    }),
    onAction(services, 'retry-compared', async (ctx, { answerId }) => {
      const pressed = await findPressed(services, ctx, answerId);
      return 'hint' in pressed ? pressed : retry(services, ctx, pressed);
    }),
  );
  return { middleware: composer, ...createComparedAnswers(services) };
}

type Refusal = ActionAnswer & { readonly hint: string };

/** Returns the question if the conversation has not moved on from it. */
async function findQuestion(
  services: BotServices,
  ctx: BotContext,
  questionId: number | undefined,
): Promise<StoredMessage | Refusal> {
  const { conversations } = services;
  const question = questionId === undefined ? undefined : await conversations.findMessage(questionId);
  const gone = { hint: texts[ctx.locale].movedOn, afterwards: () => ctx.editMessageReplyMarkup().catch(() => {}) };
  if (question?.role !== 'user' || !(await isOfThisChat(services, ctx, question.conversationId))) return gone;
  const head = await conversations.findLatestMessage(question.conversationId);
  const isLast = head !== undefined && (head.id <= question.id || head.parentId === question.id);
  return isLast ? question : gone;
}

/** Compared answer whose button was pressed, and its question. */
interface Pressed {
  readonly answer: StoredMessage;
  readonly question: StoredMessage;
}

async function findPressed(services: BotServices, ctx: BotContext, answerId: number): Promise<Pressed | Refusal> {
  const answer = await services.conversations.findMessage(answerId);
  const question = await findQuestion(services, ctx, answer?.parentId);
  if ('hint' in question) return question;
  return answer?.extras.comparison ? { answer, question } : { hint: texts[ctx.locale].movedOn };
}

/** Shows the list, after a change of the choice if a model was pressed. Presses may follow faster than the list changes. */
async function choose(
  services: BotServices,
  ctx: BotContext,
  { model, ...action }: CallbackActionOf<'choose-compared-models'>,
): Promise<ActionAnswer> {
  const question = await findQuestion(services, ctx, action.questionId);
  if ('hint' in question) return question;
  const words = texts[ctx.locale];
  const answer = action.answerId === undefined ? undefined : await services.conversations.findMessage(action.answerId);
  const before = findChoice(services, ctx, answer?.model ?? ctx.user.settings.model);
  const models = model === undefined ? before : toggle(before, model);
  if (models.length > MAX_MODELS) return { hint: words.tooMany(MAX_MODELS) };
  if (model !== undefined) await services.accounts.updateSettings(ctx.user.id, { comparedModels: models });
  return {
    ...(model === undefined && { hint: words.choose }),
    afterwards: () => showChooser(services, ctx, { ...action, models }, question),
  };
}

function toggle(models: readonly string[], model: string): readonly string[] {
  return models.includes(model) ? models.filter((id) => id !== model) : [...models, model];
}

/** Shows the buttons below the answer, whose text stays, or in the message after `/compare`. */
async function showChooser(
  services: BotServices,
  ctx: BotContext,
  choice: ModelChoice,
  question: StoredMessage,
): Promise<void> {
  const keyboard = await toModelChooser(services, ctx, choice, question.userId ?? ctx.user.id);
  if (choice.answerId === undefined) return showView(ctx, { text: texts[ctx.locale].choose, keyboard });
  await ctx.editMessageReplyMarkup({ reply_markup: keyboard });
}

async function start(
  services: BotServices,
  ctx: BotContext,
  { models: shown, ...action }: CallbackActionOf<'start-comparison'>,
): Promise<ActionAnswer> {
  const { answers, catalogue, questionService } = services;
  const words = texts[ctx.locale];
  const question = await findQuestion(services, ctx, action.questionId);
  if ('hint' in question) return question;
  const entries = listChatModels(catalogue);
  // Not the stored choice: a press that is handled again after a crash has changed it since.
  const chosen = shown.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  const gone = shown.find((id) => entries.every((entry) => entry.id !== id));
  if (gone !== undefined || chosen.length < MIN_MODELS) {
    const afterwards = () =>
      showChooser(services, ctx, { ...action, page: 0, models: findChoice(services, ctx, undefined) }, question);
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

async function pick(services: BotServices, ctx: BotContext, { answer, question }: Pressed): Promise<ActionAnswer> {
  const { answers, conversations } = services;
  if (!hasText(answer)) return { hint: ctx.texts.answers.stillWriting };
  await conversations.setHead(answer.id);
  const place = { question, chatId: ctx.chatId ?? 0, userId: ctx.user.id };
  const isUnderWay = (id: number) => id !== answer.id && answers.isUnderWay(id);
  return {
    hint: texts[ctx.locale].continuing(answer.extras.comparison?.model ?? ''),
    afterwards: () => refreshCompared(services, ctx.texts, place, isUnderWay),
  };
}

async function retry(services: BotServices, ctx: BotContext, { answer, question }: Pressed): Promise<ActionAnswer> {
  const { answers, catalogue, questionService } = services;
  const isOpen = answer.finishReason === undefined || answers.isUnderWay(answer.id);
  if (isOpen || hasText(answer)) return { hint: ctx.texts.answers.stillWriting };
  const modelId = answer.model ?? '';
  if (catalogue.find(modelId)?.type !== 'chat') return { hint: ctx.texts.models.gone(modelId), isAlert: true };
  const context = await questionService.prepare(ctx, { modelId, conversationId: question.conversationId });
  if (!context) return {};
  await answers.retryCompared(context, answer, question);
  return { hint: texts[ctx.locale].started };
}
