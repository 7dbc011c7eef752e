import type { Message } from 'grammy/types';
import type { TalkLine } from '../../core/groups/index.ts';
import { toFullName } from '../framework/full-name.ts';
import { describeContent } from '../inputs/describe-message.ts';

/** Returns a group message as one line of text; undefined for messages without content, such as joins. */
export function toTalkLine(message: Message): TalkLine | undefined {
  const speaker = toSpeaker(message);
  const content = describeTalk(message);
  if (!speaker || content === '') return undefined;
  const { message_id: telegramMessageId, date } = message;
  return { ...speaker, telegramMessageId, content: content, saidAt: new Date(date * 1000) };
}

function toSpeaker({ from, sender_chat: channel, chat }: Message) {
  if (channel) {
    const name = channel.id === chat.id ? 'an admin' : 'title' in channel ? channel.title : undefined;
    return { speakerId: channel.id, speakerName: name ?? 'a channel' };
  }
  return from && { speakerId: from.id, speakerName: toFullName(from) + (from.is_bot ? ' (bot)' : '') };
}

function describeTalk(message: Message): string {
  const text = message.text ?? message.caption ?? describeContent(message) ?? '';
  const content = [nameFile(message), text].filter(Boolean).join(' ').trim();
  const repliedTo = message.reply_to_message;
  const repliedToName = repliedTo && !repliedTo.forum_topic_created ? toSpeaker(repliedTo)?.speakerName : undefined;
  return content !== '' && repliedToName !== undefined ? `(to ${repliedToName}) ${content}` : content;
}

function nameFile(message: Message): string {
  const { document, audio, sticker } = message;
  if (message.photo) return '[photo]';
  if (message.animation) return '[animation]';
  if (message.video ?? message.video_note) return '[video]';
  if (message.voice) return '[voice message]';
  if (audio) return `[audio${audio.title === undefined ? '' : ` ${audio.title}`}]`;
  if (document) return `[file${document.file_name === undefined ? '' : ` ${document.file_name}`}]`;
  return sticker ? `[sticker ${sticker.emoji ?? ''}]` : '';
}
