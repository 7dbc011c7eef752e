import type { Chat, Message, User } from '@grammyjs/types';
import { fullName } from './format.ts';
import { summarizeBlocks } from './rich-summary.ts';
import { translate } from './texts.ts';

/** Returns the displayed sender of a message: a user, or the channel or group that posted it. */
export function senderOf(message: Message) {
  const user = message.sender_chat ? undefined : message.from;
  const chat = message.sender_chat ?? message.chat;
  return user ? { id: user.id, name: fullName(user) } : { id: chat.id, name: titleOf(chat) };
}

const titleOf = (chat: Chat) => ('title' in chat && chat.title ? chat.title : (chat.first_name ?? 'Chat'));

/** Content types, their names, and the emoji before a caption. */
const KINDS: [keyof Message, string, string?][] = [
  ['animation', 'GIF', '🎞️'],
  ['photo', translate('Photo'), '🖼️'],
  ['video', translate('Video'), '📹'],
  ['video_note', translate('Video message')],
  ['voice', translate('Voice message'), '🎤'],
  ['audio', translate('Audio'), '🎵'],
  ['sticker', translate('Sticker')],
  ['location', translate('Location')],
  ['contact', translate('Contact')],
  ['poll', translate('Poll')],
  ['dice', 'Dice'],
  ['game', 'Game'],
  ['invoice', 'Invoice'],
  ['checklist', 'Checklist'],
  ['paid_media', 'Paid media'],
  ['story', 'Story'],
];

/** Summarizes a message in one line, for the chat list, quotes and screen readers. */
export function summarize(message: Message) {
  const service = describeService(message);
  if (service) return service;
  if (message.text !== undefined) return message.text;
  if (message.rich_message) return summarizeBlocks(message.rich_message.blocks);
  const [, known, sign] = KINDS.find(([field]) => message[field] !== undefined) ?? [];
  if (sign && message.caption) return `${sign} ${message.caption}`;
  const kind = known ?? message.document?.file_name ?? (message.document ? translate('File') : '');
  const caption = message.caption ?? message.sticker?.emoji ?? message.poll?.question ?? '';
  return [kind, caption].filter(Boolean).join(', ') || translate('Message');
}

const namesOf = (users: readonly User[]) => users.map(fullName).join(', ');

/** Returns the text of a service message ("Anna joined the group"); undefined for other messages. */
export function describeService(message: Message): string | undefined {
  const actor = message.from ? fullName(message.from) : translate('The channel');
  if (message.new_chat_members) return translate('{} joined the group', namesOf(message.new_chat_members));
  if (message.left_chat_member) return translate('{} left the group', fullName(message.left_chat_member));
  if (message.new_chat_title !== undefined)
    return translate('{} changed the title to “{}”', actor, message.new_chat_title);
  if (message.new_chat_photo) return `${actor} changed the photo`;
  if (message.delete_chat_photo) return `${actor} removed the photo`;
  if (message.group_chat_created || message.supergroup_chat_created) return translate('{} created the group', actor);
  if (message.channel_chat_created) return translate('Channel created');
  if (message.pinned_message) return translate('{} pinned a message', actor);
  if (message.forum_topic_created)
    return translate('{} created the topic “{}”', actor, message.forum_topic_created.name);
  if (message.forum_topic_edited)
    return translate('{} changed the topic to “{}”', actor, message.forum_topic_edited.name ?? '');
  if (message.forum_topic_closed) return translate('{} closed the topic', actor);
  if (message.forum_topic_reopened) return translate('{} opened the topic again', actor);
  if (message.message_auto_delete_timer_changed) return `${actor} changed the auto-delete timer`;
  if (message.successful_payment) return 'Payment received';
  if (message.write_access_allowed) return `${actor} allowed the bot to write`;
  if (message.web_app_data) return `Data from “${message.web_app_data.button_text}” was sent to the bot`;
  return undefined;
}
