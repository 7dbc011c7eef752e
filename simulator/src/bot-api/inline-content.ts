import type { InlineQueryResult } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { toMediaContent } from '../world/media-content.ts';
import type { MessageContent } from '../world/messages.ts';
import type { Bot, World } from '../world/world.ts';
import { findCachedFile } from './cached-result.ts';
import { readCaption, readOptionalText, toCaptionContent, toTextContent } from './read-text.ts';
import { readInlineKeyboard } from './reply-markup.ts';

/** Converts an inline result to message content: a text, or a file known to the bot. @throws ApiError 400 */
export function toInlineContent(world: World, bot: Bot, result: InlineQueryResult): MessageContent {
  const fields: JsonObject = { ...result };
  const message = fields.input_message_content;
  if (!isJsonObject(message) || typeof message.message_text !== 'string') {
    const file = message === undefined ? findCachedFile(world, bot, result) : undefined;
    if (!file) throw badRequest('only results with a text message or a file can be sent here');
    const size = file.size ?? { width: 0, height: 0 };
    const media = toMediaContent(file.kind, file, { durationSeconds: 0, size });
    return { ...media, ...toCaptionContent(readCaption(world, fields)), ...toMarkup(fields.reply_markup) };
  }
  const text = readOptionalText(world, { ...message, text: message.message_text });
  return { ...toTextContent(text), ...toMarkup(fields.reply_markup) };
}

function toMarkup(markup: unknown): Pick<MessageContent, 'reply_markup'> {
  const inline = readInlineKeyboard(markup);
  return inline ? { reply_markup: inline } : {};
}
