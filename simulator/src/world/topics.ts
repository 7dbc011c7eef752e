import type { User } from '@grammyjs/types';
import { listChats, publishChat } from './chats.ts';
import { addMessage, deleteMessages, type MessageContent } from './messages.ts';
import type { Bot, Chat, Topic, World } from './world.ts';

/** Telegram's first topic colour. */
const DEFAULT_ICON_COLOR = 0x6fb9f0;

export interface NewTopicFacts {
  readonly name: string;
  readonly iconColor?: number;
  readonly iconCustomEmojiId?: string | undefined;
  /** The app has made the name up. */
  readonly isNameImplicit?: boolean | undefined;
  readonly from: User | undefined;
  readonly author?: Bot;
}

/** Opens a topic; its id is that of the service message which announces it. */
export function createTopic(world: World, chat: Chat, facts: NewTopicFacts): Topic {
  const iconColor = facts.iconColor ?? DEFAULT_ICON_COLOR;
  const { name, iconCustomEmojiId } = facts;
  const icon = iconCustomEmojiId === undefined ? {} : { icon_custom_emoji_id: iconCustomEmojiId };
  const announced = addMessage(world, {
    chat,
    from: facts.from,
    ...(facts.author === undefined ? {} : { author: facts.author }),
    content: {
      forum_topic_created: {
        name,
        icon_color: iconColor,
        ...icon,
        ...(facts.isNameImplicit ? { is_name_implicit: true } : {}),
      },
    },
    opensTopic: true,
  });
  const topic: Topic = {
    id: announced.body.message_id,
    name,
    isClosed: false,
    iconColor,
    iconCustomEmojiId,
    creatorBotId: facts.author?.id,
  };
  chat.topics.set(topic.id, topic);
  publishChat(world, chat);
  return topic;
}

/** Announces a change of a topic in it. */
export function announceInTopic(
  world: World,
  place: { chat: Chat; topic: Topic; from: User | undefined; author?: Bot },
  content: MessageContent,
): void {
  const { chat, topic, from, author } = place;
  addMessage(world, { chat, from, content, topicId: topic.id, ...(author === undefined ? {} : { author }) });
  publishChat(world, chat);
}

/** Deletes a topic with all its messages. */
export function deleteTopic(world: World, chat: Chat, topic: Topic): void {
  const ids = [...chat.messages.values()]
    .filter(({ body }) => body.message_thread_id === topic.id)
    .map(({ body }) => body.message_id);
  chat.topics.delete(topic.id);
  deleteMessages(world, chat, ids);
  publishChat(world, chat);
}

/** Switches the topics of a bot's private chats on or off, as at BotFather. */
export function setPrivateTopics(world: World, bot: Bot, isOn: boolean): void {
  bot.privateTopics = isOn;
  for (const chat of listChats(world, bot)) {
    if (chat.type !== 'private') continue;
    chat.isForum = isOn;
    publishChat(world, chat);
  }
}
