import type { Update } from '@grammyjs/types';

/**
 * Updates of one chat are handled in their order; presses of buttons count to the chat they were pressed in. What belongs to no chat,
 * or is no update at all, is of lane 0.
 */
export function toLane(update: Update): number {
  const press = update.callback_query;
  // A webhook takes whatever has an id: nothing is sure of it.
  const lane =
    update.message?.chat?.id ??
    update.edited_message?.chat?.id ??
    press?.message?.chat?.id ??
    update.message_reaction?.chat?.id ??
    update.stopped_message_generation?.chat?.id ??
    press?.from?.id ??
    update.inline_query?.from?.id ??
    update.chosen_inline_result?.from?.id ??
    // Its chat is none of the bot's.
    update.guest_message?.from?.id ??
    update.my_chat_member?.chat?.id;
  return Number.isSafeInteger(lane) && lane !== undefined ? lane : 0;
}
