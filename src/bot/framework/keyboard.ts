import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { ButtonTarget, Interactions } from '../../core/interactions/index.ts';
import type { Choice } from './choice.ts';
import type { BotContext } from './context.ts';

/** A button and what its press means. */
export interface ChoiceButton {
  readonly text: string;
  readonly choice: Choice;
}

/** A button that means a choice of ours, or one that the person's app knows how to press. */
export type KeyboardButton =
  | ChoiceButton
  | InlineKeyboardButton.CopyTextButtonButton
  | InlineKeyboardButton.SwitchInlineButton
  | InlineKeyboardButton.UrlButton;

/** Returns the target of buttons in a message that answers an update: its user and its chat. */
export function toButtonTarget({
  user,
  chatId,
}: {
  readonly user: Pick<BotContext['user'], 'id'>;
  readonly chatId: number | undefined;
}): ButtonTarget {
  return { userId: user.id, chatId };
}

/**
 * Returns an inline keyboard whose buttons work for one user in one chat, as far as `entrance/pressed-button.ts` does not let others
 * press them. Telegram gets opaque tokens; their actions stay in the database.
 * @param ttlMs how long the buttons work.
 */
export async function offerKeyboard(
  deps: { readonly interactions: Interactions },
  target: ButtonTarget,
  rows: readonly (readonly KeyboardButton[])[],
  ttlMs?: number,
): Promise<InlineKeyboardMarkup> {
  const offered = rows.flat().flatMap((button) => ('choice' in button ? [button.choice] : []));
  const tokens = await deps.interactions.offerChoices(target, offered, ttlMs);
  let next = 0;
  return {
    inline_keyboard: rows
      .filter((row) => row.length > 0)
      .map((row) =>
        row.map((button) => ('choice' in button ? { text: button.text, callback_data: tokens[next++] ?? '' } : button)),
      ),
  };
}
