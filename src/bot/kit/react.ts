import type { ReactionTypeEmoji } from 'grammy/types';
import type { BotServices } from './services.ts';

/** Sets the bot's reaction to a message if the rate limit allows it now. Never throws: groups may forbid reactions. */
export async function react(
  { client, logger }: BotServices,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  emoji: ReactionTypeEmoji['emoji'],
): Promise<void> {
  try {
    await client.withPriority('typing').setMessageReaction(chatId, messageId, [{ type: 'emoji', emoji }]);
  } catch (error) {
    logger.debug({ err: error, chatId }, 'a reaction could not be set');
  }
}
