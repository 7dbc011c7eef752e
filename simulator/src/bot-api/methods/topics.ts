import type { ForumTopic } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { announceInTopic, createTopic, deleteTopic } from '../../world/topics.ts';
import { toApiBotUser } from '../../world/views.ts';
import type { Chat, Topic } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readInteger, readString } from '../params.ts';
import { checkAccess, checkAdministrator, readChat } from '../targets.ts';

const MAX_NAME_LENGTH = 128;

function readForum(call: Call): Chat {
  const chat = readChat(call);
  checkAccess(call, chat);
  if (!chat.isForum) throw badRequest('the chat is not a forum');
  return chat;
}

/** Returns a topic that the bot may change: any topic for an administrator, otherwise only topics that it created. */
function readOwnTopic(call: Call, chat: Chat): Topic {
  const topic = readTopic(call, chat);
  if (topic.creatorBotId !== call.bot.id) checkAdministrator(call, chat, 'manage topics');
  return topic;
}

function readTopic(call: Call, chat: Chat): Topic {
  const topic = chat.topics.get(readInteger(call.params, 'message_thread_id') ?? 0);
  if (!topic) throw badRequest('message thread not found');
  return topic;
}

function readName(call: Call): string | undefined {
  const name = readString(call.params, 'name')?.trim();
  if (name !== undefined && name.length > MAX_NAME_LENGTH) throw badRequest('TOPIC_TITLE_TOO_LONG');
  return name === '' ? undefined : name;
}

function createForumTopic(call: Call): ForumTopic {
  const chat = readForum(call);
  checkAdministrator(call, chat, 'manage topics');
  const name = readName(call);
  if (name === undefined) throw badRequest('topic name must be non-empty');
  const iconColor = readInteger(call.params, 'icon_color');
  const topic = createTopic(call.world, chat, {
    name,
    ...(iconColor === undefined ? {} : { iconColor }),
    iconCustomEmojiId: readString(call.params, 'icon_custom_emoji_id'),
    from: toApiBotUser(call.bot),
    author: call.bot,
  });
  const emoji = topic.iconCustomEmojiId;
  return {
    message_thread_id: topic.id,
    name,
    icon_color: topic.iconColor,
    ...(emoji === undefined ? {} : { icon_custom_emoji_id: emoji }),
  };
}

function editForumTopic(call: Call): true {
  const chat = readForum(call);
  const topic = readOwnTopic(call, chat);
  const name = readName(call) ?? topic.name;
  const emoji = readString(call.params, 'icon_custom_emoji_id') ?? topic.iconCustomEmojiId;
  if (name === topic.name && emoji === topic.iconCustomEmojiId) throw badRequest('TOPIC_NOT_MODIFIED');
  topic.name = name;
  topic.iconCustomEmojiId = emoji;
  announceInTopic(call.world, placeOf(call, chat, topic), {
    forum_topic_edited: { name, ...(emoji === undefined ? {} : { icon_custom_emoji_id: emoji }) },
  });
  return true;
}

function setClosed(isClosed: boolean): MethodHandler {
  return (call) => {
    const chat = readForum(call);
    const topic = readOwnTopic(call, chat);
    if (topic.isClosed === isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
    topic.isClosed = isClosed;
    announceInTopic(
      call.world,
      placeOf(call, chat, topic),
      isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} },
    );
    return true;
  };
}

function placeOf(call: Call, chat: Chat, topic: Topic) {
  return { chat, topic, from: toApiBotUser(call.bot), author: call.bot };
}

function deleteForumTopic(call: Call): true {
  const chat = readForum(call);
  checkAdministrator(call, chat, 'manage topics');
  deleteTopic(call.world, chat, readTopic(call, chat));
  return true;
}

/** Methods for topics of forums and of private chats with topics. */
export const topicMethods: { readonly [method: string]: MethodHandler } = {
  createForumTopic,
  editForumTopic,
  closeForumTopic: setClosed(true),
  reopenForumTopic: setClosed(false),
  deleteForumTopic,
};
