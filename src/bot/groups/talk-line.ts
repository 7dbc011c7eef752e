import type { Message } from 'grammy/types';
import type { TalkLine } from '../../core/groups/index.ts';
import { toFullName } from '../framework/full-name.ts';
import { describeContent } from '../inputs/describe-message.ts';

/** Returns a group message as one line of text; undefined for messages without content, such as joins. */
export function toTalkLine(message: Message): TalkLine | undefined {
  const speaker = toSpeaker(message);
  const said = describeTalk(message);
  if (!speaker || said === '') return undefined;
  const { message_id: telegramMessageId, date } = message;
  return { ...speaker, telegramMessageId, content: said, saidAt: new Date(date * 1000) };
}

function toSpeaker({ from, sender_chat: channel, chat }: Message) {
  if (channel) {
    const name = channel.id === chat.id ? 'an admin' : 'title' in channel ? channel.title : undefined;
    return { speakerId: channel.id, speakerName: name ?? 'a channel' };
  }
  return from && { speakerId: from.id, speakerName: toFullName(from) + (from.is_bot ? ' (bot)' : '') };
}

function describeTalk(message: Message): string {
  const words = message.text ?? message.caption ?? describeContent(message) ?? '';
  const said = [nameFile(message), words].filter(Boolean).join(' ').trim();
  const repliedTo = message.reply_to_message;
  const whom = repliedTo && !repliedTo.forum_topic_created ? toSpeaker(repliedTo)?.speakerName : undefined;
  return said !== '' && whom !== undefined ? `(to ${whom}) ${said}` : said;
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
