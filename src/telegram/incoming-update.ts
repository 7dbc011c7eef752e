import type { Update } from '@grammyjs/types';
import type { IncomingUpdate } from '../core/inbox/index.ts';
import { withPlainText } from './rich-message-text.ts';
import { toChatQueue } from './update-chat-queue.ts';

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
