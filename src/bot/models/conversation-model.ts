import type { ModelEntry } from '../../core/models/index.ts';
import { isGroup, toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Returns the chat model chosen for one conversation if it is still in the catalogue. In groups conversations have
 * none.
 * @param conversationId default the current conversation of the topic.
 */
export async function findConversationModel(
  { catalogue, conversations }: BotServices,
  { msg }: BotContext,
  conversationId?: number,
): Promise<ModelEntry | undefined> {
  if (!msg || isGroup(msg.chat)) return undefined;
  const conversation =
    conversationId === undefined
      ? await conversations.findCurrentConversation(toChatTopic(msg))
      : await conversations.findConversation(conversationId);
  const entry = conversation?.model === undefined ? undefined : catalogue.find(conversation.model);
  return entry?.type === 'chat' ? entry : undefined;
}
