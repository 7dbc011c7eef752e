import type { FileKind } from '../control-protocol.ts';
import type { PictureSize, StoredFile } from './file-store.ts';
import { readPictureSize } from './picture-size.ts';
import type { World } from './world.ts';

export interface IncomingFile {
  readonly bytes: Buffer;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
}

/** Stores a file sent by a bot or a user. `check` runs before with the image size, and may throw. */
export function storeFile(
  world: World,
  kind: FileKind,
  file: IncomingFile,
  check: (size: PictureSize | undefined) => void = () => undefined,
): StoredFile {
  const size = readPictureSize(file.bytes);
  check(size);
  return world.files.add({
    bytes: file.bytes,
    kind,
    fileName: file.fileName,
    mimeType: chooseMimeType(kind, file),
    size,
  });
}

const TYPES_BY_EXTENSION: { readonly [extension: string]: string } = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
};

const TYPES_BY_KIND: { readonly [kind in FileKind]?: string } = {
  voice: 'audio/ogg',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  animation: 'video/mp4',
};

/** Returns the MIME type by file extension, as Telegram does, otherwise the one given by the sender. */
function chooseMimeType(kind: FileKind, { fileName, mimeType }: IncomingFile): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const said = mimeType === 'application/octet-stream' ? undefined : mimeType;
  const byKind = TYPES_BY_KIND[kind] ?? (kind === 'document' ? 'application/octet-stream' : undefined);
  return TYPES_BY_EXTENSION[extension] ?? said ?? byKind;
}
