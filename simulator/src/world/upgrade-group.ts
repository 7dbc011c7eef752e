import type { User } from '@grammyjs/types';
import { addSupergroupFor, publishChat } from './chats.ts';
import { addMessage } from './messages.ts';
import type { Chat, World } from './world.ts';

/**
 * Turns a group into a supergroup, as when its owner sets a username or enables topics. The supergroup is a new chat
 * with another id and its own message ids. Both chats get a service message. The group becomes read-only.
 */
export function upgradeGroup(world: World, group: Chat, by: User): Chat {
  const supergroup = addSupergroupFor(world, group);
  publishChat(world, supergroup);
  addMessage(world, { chat: group, from: by, content: { migrate_to_chat_id: supergroup.id } });
  group.upgradedToId = supergroup.id;
  publishChat(world, group);
  addMessage(world, { chat: supergroup, from: by, content: { migrate_from_chat_id: group.id } });
  return supergroup;
}
