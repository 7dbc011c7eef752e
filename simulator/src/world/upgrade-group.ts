import type { User } from '@grammyjs/types';
import { addSupergroupFor, publishChat } from './chats.ts';
import { addMessage } from './messages.ts';
import type { Chat, World } from './world.ts';

/**
 * A group becomes a supergroup, as when its owner gives it a public name or topics: another chat with another id, where messages
 * are counted anew. Both chats say so in a service message. The group stays as it is, for reading only.
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
