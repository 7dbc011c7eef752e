import { toPageName } from '../../core/shared-conversations/index.ts';
import { hasStoredBytes, type StoredFile } from '../../core/storage/index.ts';
import { findPreviewKind } from '../files/media-types.ts';
import { toTime } from '../resources/fields.ts';

/** A stored file or shared conversation of the user. */
export interface OwnFile {
  readonly id: string;
  /** `conversation`: a shared conversation. */
  readonly kind: 'file' | 'conversation';
  readonly name: string;
  readonly media_type: string;
  readonly size_bytes: number;
  readonly created_at: string;
  /** null: never. */
  readonly expires_at: string | null;
  /** null: unlimited. */
  readonly downloads_left: number | null;
  readonly has_password: boolean;
  /** Link to share; null if only Telegram has the bytes. */
  readonly url: string | null;
  /** Address of an image that may be shown beside the name; null for other files. */
  readonly thumbnail_url: string | null;
}

/** Maximum size of an image that lists show. */
const MAX_THUMBNAIL_BYTES = 4 * 1024 * 1024;

export function toOwnFile(file: StoredFile, cloudUrl: string): OwnFile {
  const hasBytes = hasStoredBytes(file);
  return {
    id: file.id,
    kind: file.kind,
    name: file.kind === 'conversation' ? toPageName(file) : file.name,
    media_type: file.mediaType,
    size_bytes: file.sizeBytes,
    created_at: toTime(file.createdAt),
    expires_at: file.expiresAt ? toTime(file.expiresAt) : null,
    downloads_left: file.downloadsLeft ?? null,
    has_password: file.hasPassword,
    url: hasBytes ? `${cloudUrl}/${file.kind === 'conversation' ? 'share' : 'file'}/${file.id}` : null,
    thumbnail_url: hasBytes && isThumbnail(file) ? `${cloudUrl}/file/${file.id}` : null,
  };
}

/** Showing an image counts as a download. */
function isThumbnail({ kind, mediaType, sizeBytes, hasPassword, downloadsLeft }: StoredFile): boolean {
  const isImage = kind === 'file' && findPreviewKind(mediaType) === 'image' && sizeBytes <= MAX_THUMBNAIL_BYTES;
  return isImage && !hasPassword && downloadsLeft === undefined;
}
