import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';
import { offerKeyboard } from '../framework/keyboard.ts';
import { toPagedRows } from '../framework/paged-rows.ts';
import { MODELS_PER_PAGE, toModelButton } from '../models/model-button.ts';
import { listChatModels } from '../models/model-choice.ts';

/** Below an answer: the models that could write another one, its own marked. The answer's text stays as it is. */
export function toAnswerModelKeyboard(
  deps: BotDeps,
  { texts, chatId }: BotContext,
  answer: StoredMessage,
  { page, personId }: { readonly page: number; readonly personId: number },
): Promise<InlineKeyboardMarkup> {
  const answerId = answer.id;
  const { shown, turnRow } = toPagedRows(listChatModels(deps.catalogue), page, MODELS_PER_PAGE, (to) => ({
    ...{ kind: 'list-answer-models', answerId, page: to },
  }));
  return offerKeyboard(deps, { personId, chatId }, [
    ...shown.map((entry) => [toModelButton(entry, answer.model, { kind: 'regenerate', answerId, model: entry.id })]),
    turnRow,
    [{ text: texts.buttons.back, choice: { kind: 'show-answer-buttons', answerId } }],
  ]);
}
