import type { ThreadDetails } from '../../core/conversations/index.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../framework/bot-deps.ts';

/**
 * Renames the topic of a conversation if the bot may name it. Failures (missing right, deleted topic) are only logged.
 */
export async function nameTopic(
  { client, logger }: Pick<BotDeps, 'client' | 'logger'>,
  { place, namesTopic }: Pick<ThreadDetails, 'place' | 'namesTopic'>,
  name: string,
): Promise<void> {
  if (!namesTopic || place.topicId === undefined) return;
  try {
    await client.withPriority('page').editForumTopic(place.chatId, place.topicId, { name });
  } catch (error) {
    logger.info({ failure: classifyTelegramError(error).kind }, 'a topic keeps its name');
  }
}
