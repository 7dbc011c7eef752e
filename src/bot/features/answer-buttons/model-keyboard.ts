import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredMessage } from '../../../core/conversations/index.ts';
import { listChatModels, MODELS_PER_PAGE, toModelButton } from '../../choices/model-choice.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toPagedRows } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';

/**
 * Returns the keyboard that offers models for another variant, with the current one marked. The text of the answer
 * stays.
 */
export function toAnswerModelKeyboard(
  services: BotServices,
  { texts, chatId }: BotContext,
  answer: StoredMessage,
  { page, userId }: { readonly page: number; readonly userId: number },
): Promise<InlineKeyboardMarkup> {
  const { id: answerId, parentId: questionId } = answer;
  const models = listChatModels(services.catalogue);
  const { shown, pagerRow } = toPagedRows(models, page, MODELS_PER_PAGE, (to) => ({
    kind: 'list-answer-models',
    answerId,
    page: to,
  }));
  return storeKeyboard(services, { userId, chatId }, [
    ...shown.map((entry) => [toModelButton(entry, answer.model, { kind: 'regenerate', answerId, model: entry.id })]),
    pagerRow,
    models.length > 1 && questionId !== undefined
      ? [
          {
            text: `🤖 ${texts.buttons.compare}`,
            action: { kind: 'choose-compared-models', questionId, answerId, page: 0 },
          },
        ]
      : [],
    [{ text: texts.buttons.back, action: { kind: 'show-answer-buttons', answerId } }],
  ]);
}
