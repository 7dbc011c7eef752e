import type { ConversationDetails } from '../../core/conversations/index.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Renames the topic of a conversation if the bot may name it. Failures (missing right, deleted topic) are only logged.
 */
export async function nameTopic(
  { client, logger }: BotServices,
  { chatTopic, namesTopic }: Pick<ConversationDetails, 'chatTopic' | 'namesTopic'>,
  name: string,
): Promise<void> {
  if (!namesTopic || chatTopic.topicId === undefined) return;
  try {
    await client.withPriority('page').editForumTopic(chatTopic.chatId, chatTopic.topicId, { name });
  } catch (error) {
    logger.info({ failure: classifyTelegramError(error).kind }, 'a topic could not be renamed');
  }
}
