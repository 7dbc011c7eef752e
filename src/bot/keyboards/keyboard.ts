import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { Interactions } from '../../core/interactions/index.ts';
import type { Choice } from './choice.ts';

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

/**
 * An inline keyboard whose buttons only the given person can press. Telegram sees opaque tokens; the choices stay with us.
 * @param ttlMs how long the buttons work.
 */
export async function offerKeyboard(
  deps: { readonly interactions: Interactions },
  personId: number,
  rows: readonly (readonly KeyboardButton[])[],
  ttlMs?: number,
): Promise<InlineKeyboardMarkup> {
  const offered = rows.flat().flatMap((button) => ('choice' in button ? [button.choice] : []));
  const tokens = await deps.interactions.offerChoices(personId, offered, ttlMs);
  let next = 0;
  return {
    inline_keyboard: rows
      .filter((row) => row.length > 0)
      .map((row) =>
        row.map((button) => ('choice' in button ? { text: button.text, callback_data: tokens[next++] ?? '' } : button)),
      ),
  };
}
