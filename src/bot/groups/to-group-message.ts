import type { Message } from 'grammy/types';
import type { GroupMessage } from '../../core/groups/index.ts';
import { describeContent, readFormatted } from '../inputs/describe-message.ts';
import { toFullName } from '../kit/names.ts';

/** Returns a group message as one line of text; undefined for messages without content, such as joins. */
export function toGroupMessage(message: Message): GroupMessage | undefined {
  const author = toAuthor(message);
  const content = describeRecentMessages(message);
  if (!author || content === '') return undefined;
  const { message_id: telegramMessageId, date } = message;
  return { ...author, telegramMessageId, content: content, sentAt: new Date(date * 1000) };
}

function toAuthor({ from, sender_chat: channel, chat }: Message) {
  if (channel) {
    const name = channel.id === chat.id ? 'an admin' : 'title' in channel ? channel.title : undefined;
    return { authorId: channel.id, authorName: name ?? 'a channel' };
  }
  return from && { authorId: from.id, authorName: toFullName(from) + (from.is_bot ? ' (bot)' : '') };
}

function describeRecentMessages(message: Message): string {
  const text = readFormatted(message) ?? describeContent(message) ?? '';
  const content = [nameFile(message), text].filter(Boolean).join(' ').trim();
  const repliedTo = message.reply_to_message;
  const repliedToName = repliedTo && !repliedTo.forum_topic_created ? toAuthor(repliedTo)?.authorName : undefined;
  return content !== '' && repliedToName !== undefined ? `(to ${repliedToName}) ${content}` : content;
}

function nameFile(message: Message): string {
  const { document, audio } = message;
  if (message.photo) return '[photo]';
  if (message.animation) return '[animation]';
  if (message.video ?? message.video_note) return '[video]';
  if (message.voice) return '[voice message]';
  if (audio) return `[audio${audio.title === undefined ? '' : ` ${audio.title}`}]`;
  return document ? `[file${document.file_name === undefined ? '' : ` ${document.file_name}`}]` : '';
}
