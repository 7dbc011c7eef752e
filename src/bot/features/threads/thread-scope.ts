import type { ThreadScope } from '../../../core/conversations/index.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup, toPlace } from '../../framework/place.ts';

/** The conversations that a message or a press can reach: in private chats all of the chat, in groups those of the place. */
export function toThreadScope({ msg }: BotContext): ThreadScope | undefined {
  return msg && { ...toPlace(msg), hasAllTopics: !isGroup(msg.chat) };
}
