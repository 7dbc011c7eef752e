import type { Update } from '@grammyjs/types';
import type { IncomingUpdate } from '../../core/inbox/index.ts';
import { withPlainText } from '../rich-message-text.ts';

/** Returns an update as the inbox stores it, with rich messages converted to plain ones. */
export function toIncoming(update: Update): IncomingUpdate {
  const chatQueue = toChatQueue(update);
  const { message } = update;
  // The webhook checks only the update's id, so no other field can be trusted to exist.
  const isBrought = message?.chat?.id === chatQueue && Number.isSafeInteger(message.message_id);
  return {
    id: update.update_id,
    chatQueue,
    messageId: isBrought ? message.message_id : undefined,
    payload: withPlainText(update),
  };
}

/**
 * Returns the key of the chat queue of an update: the chat id, for callback queries that of the button's chat. Updates
 * without a chat use the user's id, all others 0.
 */
export function toChatQueue(update: Update): number {
  const callbackQuery = update.callback_query;
  // The webhook checks only the update's id, so no other field can be trusted to exist.
  const chatQueue =
    update.message?.chat?.id ??
    update.edited_message?.chat?.id ??
    callbackQuery?.message?.chat?.id ??
    update.message_reaction?.chat?.id ??
    update.stopped_message_generation?.chat?.id ??
    callbackQuery?.from?.id ??
    update.inline_query?.from?.id ??
    update.chosen_inline_result?.from?.id ??
    // The bot is not a member of the chat of a guest message.
    update.guest_message?.from?.id ??
    update.my_chat_member?.chat?.id;
  return Number.isSafeInteger(chatQueue) && chatQueue !== undefined ? chatQueue : 0;
}
