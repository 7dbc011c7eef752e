import type { FileKind } from '../control-protocol.ts';
import type { PictureSize, StoredFile } from './file-store.ts';
import type { MessageContent } from './messages.ts';

/** Metadata given by the sender. Telegram would derive most of it from the content. */
export interface MediaFacts {
  readonly durationSeconds: number;
  readonly size: PictureSize;
  readonly performer?: string;
  readonly title?: string;
  readonly emoji?: string;
}

/** Returns the media field of a message: `{photo: [...]}`, `{document: {...}}`. A photo has only its original size. */
export function toMediaContent(kind: FileKind, file: StoredFile, facts: MediaFacts): MessageContent {
  const common = { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.sizeBytes };
  const named = {
    ...common,
    ...(file.fileName === undefined ? {} : { file_name: file.fileName }),
    ...(file.mimeType === undefined ? {} : { mime_type: file.mimeType }),
  };
  const { size } = facts;
  const duration = facts.durationSeconds;
  switch (kind) {
    case 'photo':
      return { photo: [{ ...common, ...size }] };
    case 'document':
      return { document: named };
    case 'audio':
      return {
        audio: {
          ...named,
          duration,
          ...(facts.performer === undefined ? {} : { performer: facts.performer }),
          ...(facts.title === undefined ? {} : { title: facts.title }),
        },
      };
    case 'voice':
      return { voice: { ...common, duration, ...(file.mimeType === undefined ? {} : { mime_type: file.mimeType }) } };
    case 'video':
      return { video: { ...named, ...size, duration } };
    case 'animation':
      // Both fields are set, for bots that do not support animations.
      return { animation: { ...named, ...size, duration }, document: named };
    case 'video_note':
      return { video_note: { ...common, length: size.width, duration } };
    case 'sticker':
      return {
        sticker: {
          ...common,
          ...size,
          type: 'regular',
          is_animated: false,
          is_video: false,
          ...(facts.emoji === undefined ? {} : { emoji: facts.emoji }),
        },
      };
  }
}
