import type { InlineQueryResult } from 'grammy/types';
import type { StoredFile } from '../../../core/storage/index.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, toNameLine } from '../../kit/views.ts';
import { toFileLink, toFileTitle } from './file-view.ts';
import { texts } from './texts.ts';

/** `/start` payload for users who come from inline mode: shows the file list, which explains how to add files. */
export const FILES_PAYLOAD = 'files';

/**
 * Returns the inline result of a file: Telegram's copy, or the link if there is none. Passwords and download limits
 * only apply to the link, so files with them are shared as links.
 */
export function toFileResult(services: BotServices, ctx: BotContext, file: StoredFile): InlineQueryResult {
  const isBound = file.hasPassword || file.downloadsLeft !== undefined;
  return (isBound ? undefined : toCachedResult(ctx, file)) ?? toLinkResult(services, ctx, file);
}

/** Returns an inline result that sends the link of a file as text. */
export function toLinkResult(services: BotServices, ctx: BotContext, file: StoredFile): InlineQueryResult {
  const { text, entities } = joinLines([toNameLine(toFileTitle(file)), { text: toFileLink(services, ctx.me, file) }]);
  return {
    type: 'article',
    id: file.id,
    title: toFileTitle(file),
    description: texts[ctx.locale].inline.link(ctx.texts.size(file.sizeBytes)),
    input_message_content: {
      message_text: text,
      entities: [...entities],
      // A preview would count as a download.
      link_preview_options: { is_disabled: true },
    },
  };
}

/**
 * Returns Telegram's copy of a file as an inline result; undefined if Telegram has none, or inline mode does not
 * support its type.
 */
function toCachedResult(ctx: BotContext, file: StoredFile): InlineQueryResult | undefined {
  if (!file.telegram) return undefined;
  const { kind, fileId } = file.telegram;
  const common = { id: file.id, title: file.name };
  const description = ctx.texts.size(file.sizeBytes);
  switch (kind) {
    case 'document':
      return { type: 'document', ...common, description, document_file_id: fileId };
    case 'photo':
      return { type: 'photo', ...common, description, photo_file_id: fileId };
    case 'video':
      return { type: 'video', ...common, description, video_file_id: fileId };
    case 'audio':
      return { type: 'audio', id: file.id, audio_file_id: fileId };
    case 'voice':
      return { type: 'voice', ...common, voice_file_id: fileId };
    case 'animation':
      return file.mediaType === 'image/gif'
        ? { type: 'gif', ...common, gif_file_id: fileId }
        : { type: 'mpeg4_gif', ...common, mpeg4_file_id: fileId };
    case 'sticker':
      return { type: 'sticker', id: file.id, sticker_file_id: fileId };
    case 'video_note':
      return undefined;
  }
}
