import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { ButtonTarget, Interactions } from '../../core/interactions/index.ts';
import type { Choice } from './choice.ts';
import type { BotContext } from './context.ts';

/** Button with a callback action. */
export interface ChoiceButton {
  readonly text: string;
  readonly choice: Choice;
}

/** Button with a callback action, or one that the user's app handles. */
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
 * Returns an inline keyboard for one user in one chat; `entrance/pressed-button.ts` decides which other users may press
 * it. Telegram gets opaque tokens; the actions are stored in the database.
 * @param ttlMs lifetime of the buttons.
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
