import type { StoredMessage } from '../../../core/conversations/index.ts';
import { shrinkForPage } from '../../../core/images/index.ts';
import type { SharedMessage } from '../../../core/shared-conversations/index.ts';
import { loadPhotoFile, MAX_PHOTO_MB } from '../../inputs/photo.ts';
import type { BotServices } from '../../kit/services.ts';

/** Maximum number of images per page; keeps it loadable on a phone. */
export const MAX_IMAGES = 12;

/** Returns the messages of a conversation up to `headId` that can be shared, oldest first. */
export async function listShareable({ conversations }: BotServices, headId: number) {
  const path = await conversations.listPath(headId);
  // Running and failed answers without text are left out.
  return path.filter(({ role, content }) => role === 'user' || content !== '');
}

/** Counts the photos in messages. */
export function countImages(messages: readonly StoredMessage[]): number {
  return messages.flatMap(({ attachments }) => attachments).filter(({ kind }) => kind === 'photo').length;
}

/**
 * Returns the messages as readers see them: without names, reasoning and files; recordings as transcripts. Images that
 * can't be loaded are left out.
 */
export async function takeSnapshot(
  services: BotServices,
  messages: readonly StoredMessage[],
  { hasImages }: { readonly hasImages: boolean },
  signal: AbortSignal,
): Promise<readonly SharedMessage[]> {
  const transcripts = await listTranscripts(services, messages);
  const images = hasImages ? await loadImages(services, messages, signal) : new Map<number, string[]>();
  return messages.map(({ id, role, content, model, attachments }) => {
    const shown = images.get(id) ?? [];
    const sayings = transcripts.get(id) ?? [];
    // Links are part of the text.
    const fileCount = attachments.filter(({ kind }) => kind !== 'link').length;
    const omittedCount = fileCount - shown.length - sayings.length;
    return {
      role,
      ...(model !== undefined && { model }),
      content: [...sayings, content].filter((text) => text !== '').join('\n\n'),
      ...(shown.length > 0 && { pictures: shown }),
      ...(omittedCount > 0 && { omittedCount }),
    };
  });
}

/** Returns the transcripts of recordings by message id. */
async function listTranscripts({ conversations }: BotServices, messages: readonly StoredMessage[]) {
  const speaking = messages.filter(({ attachments }) => attachments.some(({ kind }) => kind === 'recording'));
  const texts = await conversations.listTexts(speaking.map(({ id }) => id));
  return new Map(
    speaking.map(({ id, attachments }) => {
      const own = texts.filter(
        ({ messageId, position }) => messageId === id && attachments[position]?.kind === 'recording',
      );
      return [id, own.map(({ text }) => text)];
    }),
  );
}

/** Longest side in pixels. */
const MAX_SIDE = 1280;

/** Returns the newest images as `data:` URLs by message id. */
async function loadImages(
  services: BotServices,
  messages: readonly StoredMessage[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string[]>> {
  const photos = messages.flatMap(({ id, attachments }) =>
    attachments.flatMap((file) => (file.kind === 'photo' ? [{ id, fileId: file.telegramFileId }] : [])),
  );
  const loaded = new Map<number, string[]>();
  for (const { id, fileId } of photos.slice(-MAX_IMAGES)) {
    try {
      const bytes = await shrinkForPage(await loadPhotoFile(services, fileId, MAX_PHOTO_MB, signal), MAX_SIDE);
      loaded.set(id, [...(loaded.get(id) ?? []), `data:image/webp;base64,${bytes.toString('base64')}`]);
    } catch (error) {
      signal.throwIfAborted();
      services.logger.info({ err: error }, 'an image is missing from a shared conversation');
    }
  }
  return loaded;
}
