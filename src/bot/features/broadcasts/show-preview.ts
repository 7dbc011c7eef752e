import type { Message, MessageEntity } from 'grammy/types';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { findLeadingCommand } from '../../kit/address.ts';
import { toChatTopic, toSendOptions } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';

/** Text with its formatting. */
interface Words {
  readonly text: string;
  readonly entities: MessageEntity[];
}

/**
 * Sends a preview of a broadcast: the text or caption after the command, otherwise the message that the command replies
 * to.
 * @param message with the command, or the message itself.
 * @returns the id of the preview; `nothing` if the command has no text and no reply; `refused` if Telegram can't copy
 * such a message.
 */
export async function showPreview(ctx: BotContext, message: Message): Promise<number | 'nothing' | 'refused'> {
  const command = findLeadingCommand(message);
  // In a topic every message formally replies to the service message that opened the topic.
  const replied = message.reply_to_message?.forum_topic_created ? undefined : message.reply_to_message;
  try {
    if (command === undefined) return (await copy(ctx, message, message.message_id)).message_id;
    const words = wordsAfter(message, command.length);
    if (message.text === undefined) return await copyWithWords(ctx, message, words);
    if (words.text !== '') return await sendWords(ctx, message, words);
    if (!replied) return 'nothing';
    return (await copy(ctx, message, replied.message_id)).message_id;
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'rejected' || kind === 'message-gone') return 'refused';
    throw error;
  }
}

/** Copies within the chat, to the topic of the command. */
function copy({ api }: BotContext, message: Message, messageId: number, more: object = {}) {
  return api.copyMessage(message.chat.id, message.chat.id, messageId, {
    ...toSendOptions(toChatTopic(message)),
    ...more,
  });
}

async function sendWords({ api }: BotContext, message: Message, { text, entities }: Words): Promise<number> {
  const preview = message.link_preview_options;
  const options = {
    ...toSendOptions(toChatTopic(message)),
    entities,
    ...(preview && { link_preview_options: preview }),
  };
  return (await api.sendMessage(message.chat.id, text, options)).message_id;
}

async function copyWithWords(ctx: BotContext, message: Message, { text, entities }: Words): Promise<number> {
  const options = {
    caption: text,
    caption_entities: entities,
    ...(message.show_caption_above_media && { show_caption_above_media: true }),
  };
  return (await copy(ctx, message, message.message_id, options)).message_id;
}

/** Returns the text or caption after the first `units` and the whitespace that follows them. */
function wordsAfter(message: Message, units: number): Words {
  const whole = message.text ?? message.caption ?? '';
  const start = units + (/^\s*/.exec(whole.slice(units))?.[0].length ?? 0);
  const text = whole.slice(start);
  const entities = (message.entities ?? message.caption_entities ?? []).flatMap((entity) => {
    const from = Math.max(entity.offset, start);
    const length = entity.offset + entity.length - from;
    return length > 0 ? [{ ...entity, offset: from - start, length }] : [];
  });
  return { text, entities };
}
