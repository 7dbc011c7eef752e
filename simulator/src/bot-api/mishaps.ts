import type { FaultKind } from '../control-protocol.ts';
import { setBotStatus } from '../world/members.ts';
import { deleteMessages } from '../world/messages.ts';
import { deleteTopic } from '../world/topics.ts';
import { upgradeGroup } from '../world/upgrade-group.ts';
import { toApiUser } from '../world/views.ts';
import type { Chat } from '../world/world.ts';
import type { Call } from './call.ts';
import { readInteger } from './params.ts';
import { readReplyId } from './send.ts';

/** Performs the user's action of a fault (`message-vanishes`, `bot-blocked`, …) just before the call. */
export function causeMishap({ world, bot, params }: Call, chat: Chat, fault: FaultKind): void {
  const person = world.people.get([...chat.memberIds][0] ?? 0);
  switch (fault.type) {
    case 'message-vanishes':
      deleteMessages(world, chat, [readInteger(params, 'message_id') ?? 0]);
      return;
    case 'reply-target-vanishes': {
      const id = readReplyId(params);
      if (!chat.messages.has(id)) return;
      deleteMessages(world, chat, [id]);
      chat.staleMessageIds.add(id);
      return;
    }
    case 'topic-vanishes': {
      const message = chat.messages.get(readInteger(params, 'message_id') ?? 0);
      const topicId = readInteger(params, 'message_thread_id') ?? message?.body.message_thread_id;
      const topic = chat.topics.get(topicId ?? 0);
      if (topic) deleteTopic(world, chat, topic);
      return;
    }
    case 'bot-blocked': {
      const status = chat.type === 'private' ? 'blocked' : 'kicked';
      if (person) setBotStatus(world, { chat, bot, status, by: toApiUser(person) });
      return;
    }
    case 'group-upgraded':
      if (person && chat.type === 'group' && chat.upgradedToId === undefined) {
        upgradeGroup(world, chat, toApiUser(person));
      }
      return;
    default:
  }
}
