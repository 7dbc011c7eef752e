import type { ReactionTypeEmoji } from 'grammy/types';
import type { BotDeps } from './bot-deps.ts';

/** Sets the bot's reaction to a message, or takes it back. Never fails: groups may allow none. */
export async function react(
  { client, logger }: Pick<BotDeps, 'client' | 'logger'>,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  emoji: ReactionTypeEmoji['emoji'] | undefined,
): Promise<void> {
  try {
    const reaction = emoji === undefined ? [] : [{ type: 'emoji', emoji } as const];
    await client.withPriority('typing').setMessageReaction(chatId, messageId, reaction);
  } catch (error) {
    logger.debug({ err: error, chatId }, 'a message gets no reaction');
  }
}
