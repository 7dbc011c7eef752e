import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { ButtonTarget } from '../../core/interactions/index.ts';
import type { CallbackAction } from './actions.ts';
import type { BotContext } from './context.ts';
import type { BotServices } from './services.ts';

/** Button with a callback action. */
export interface ActionButton {
  readonly text: string;
  readonly action: CallbackAction;
}

/** Button with a callback action, or one that the user's app handles. */
export type KeyboardButton =
  | ActionButton
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

/** Returns rows of two buttons. */
export function toPairs<Button>(buttons: readonly Button[]): Button[][] {
  return Array.from({ length: Math.ceil(buttons.length / 2) }, (_, row) => buttons.slice(row * 2, row * 2 + 2));
}

/**
 * Returns an inline keyboard for one user in one chat; `middleware/callback-query.ts` decides which other users may press
 * it. Telegram gets opaque tokens; the actions are stored in the database.
 * @param ttlMs lifetime of the buttons.
 */
export async function storeKeyboard(
  services: BotServices,
  target: ButtonTarget,
  rows: readonly (readonly KeyboardButton[])[],
  ttlMs?: number,
): Promise<InlineKeyboardMarkup> {
  const offered = rows.flat().flatMap((button) => ('action' in button ? [button.action] : []));
  const tokens = await services.interactions.storeActions(target, offered, ttlMs);
  let next = 0;
  return {
    inline_keyboard: rows
      .filter((row) => row.length > 0)
      .map((row) =>
        row.map((button) => ('action' in button ? { text: button.text, callback_data: tokens[next++] ?? '' } : button)),
      ),
  };
}
