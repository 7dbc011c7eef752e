import type { InlineKeyboardMarkup } from 'grammy/types';
import { listChatModels, MODELS_PER_PAGE, toModelButton } from '../../choices/model-choice.ts';
import type { CallbackAction, CallbackActionOf } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toLeaveButton, toPagedRows } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';

/** Smallest and greatest number of models to compare. */
export const [MIN_MODELS, MAX_MODELS] = [2, 3];

/** Position in the list of models, with the chosen ones in the order of their answers. */
export type ModelChoice = Omit<CallbackActionOf<'choose-compared-models'>, 'kind' | 'model'> & {
  readonly models: readonly string[];
};

/**
 * Returns the buttons that choose models, with the chosen ones marked, and start the comparison.
 * @param userId user who asked the question.
 */
export function toModelChooser(
  services: BotServices,
  ctx: BotContext,
  choice: ModelChoice,
  userId: number,
): Promise<InlineKeyboardMarkup> {
  const { questionId, answerId, page, models } = choice;
  const list = (to: number, model?: string): CallbackAction => ({
    kind: 'choose-compared-models',
    questionId,
    answerId,
    page: to,
    model,
  });
  const { shown, pagerRow } = toPagedRows(listChatModels(services.catalogue), page, MODELS_PER_PAGE, (to) => list(to));
  const start: ActionButton = {
    text: texts[ctx.locale].start(models.length),
    action: { kind: 'start-comparison', questionId, answerId, models: [...models] },
  };
  const leave: ActionButton =
    answerId === undefined
      ? toLeaveButton(ctx.texts, undefined)
      : { text: ctx.texts.buttons.back, action: { kind: 'list-answer-models', answerId, page: 0 } };
  return storeKeyboard(services, { userId, chatId: ctx.chatId }, [
    ...shown.map((entry) => {
      const current = models.includes(entry.id) ? entry.id : undefined;
      return [toModelButton(entry, current, list(page, entry.id))];
    }),
    pagerRow,
    models.length >= MIN_MODELS ? [start] : [],
    [leave],
  ]);
}

/**
 * Returns the models that the user has chosen, here or for an earlier comparison, as far as they exist; without any, the
 * current one.
 */
export function findChoice(
  { catalogue }: BotServices,
  { user }: BotContext,
  current: string | undefined,
): readonly string[] {
  const isThere = (id: string) => catalogue.find(id)?.type === 'chat';
  const { comparedModels } = user.settings;
  if (comparedModels) return comparedModels.filter(isThere).slice(0, MAX_MODELS);
  return current !== undefined && isThere(current) ? [current] : [];
}
