import type { InlineQueryResultArticle } from 'grammy/types';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard } from '../../framework/keyboard.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';
import { toShownQuestion } from './inline-answers.ts';

/** The result that asks the model; all others are files, by their ids. */
export const ASK_RESULT = 'ask';
/** What somebody typed is not kept longer: by then it was sent, or never will be. */
const TTL_MS = 3_600_000;

/**
 * What stands for a question in inline mode: sent, it becomes the answer. Its button is there because only messages with buttons can be
 * edited, and because Telegram may be set to say nothing of what was sent. Undefined where no model can answer.
 */
export async function toAskResult(
  deps: BotDeps,
  ctx: BotContext,
  question: string,
): Promise<InlineQueryResultArticle | undefined> {
  const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry;
  if (!model) return undefined;
  const { inline } = ctx.texts;
  const shown = toShownQuestion(question);
  const button = { text: inline.answer, choice: { kind: 'answer-inline', question } } as const;
  return {
    type: 'article',
    id: ASK_RESULT,
    title: inline.ask(model.displayName ?? model.id),
    description: shown,
    input_message_content: {
      message_text: `${shown}\n${inline.waiting}`,
      entities: [{ type: 'blockquote', offset: 0, length: shown.length }],
      link_preview_options: { is_disabled: true },
    },
    reply_markup: await offerKeyboard(deps, { personId: ctx.person.id, chatId: undefined }, [[button]], TTL_MS),
  };
}
