import { randomBytes } from 'node:crypto';
import type { FileKind } from '../control-protocol.ts';

/** File on the simulated servers. */
export interface StoredFile {
  /** Kind under which it was sent; it can only be sent again as the same kind. */
  readonly kind: FileKind;
  /** Internal id; bots get one derived from it, see `toBotFileId`. */
  readonly id: string;
  readonly uniqueId: string;
  readonly sizeBytes: number;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
  /** Path under `/file/bot<token>/`: `photos/file_3.png`. */
  readonly path: string;
  /** Size in pixels, for images with a readable header. */
  readonly size: PictureSize | undefined;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

interface NewFile {
  readonly bytes: Buffer;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
  readonly kind: FileKind;
  readonly size: PictureSize | undefined;
}

export interface FileStore {
  add(file: NewFile): StoredFile;
  find(id: string): StoredFile | undefined;
  findByPath(path: string): StoredFile | undefined;
  /** Returns undefined if the content was evicted. */
  read(id: string): Buffer | undefined;
  /** Returns all files, oldest first. */
  list(): StoredFile[];
  /** Adds a file of an earlier process, without its content. */
  restore(file: StoredFile): void;
}

/** Stores files in memory. Above `capacityBytes` in total, the oldest contents are evicted; their metadata is kept. */
export function createFileStore(capacityBytes: number): FileStore {
  const files = new Map<string, StoredFile>();
  const idsByPath = new Map<string, string>();
  const contents = new Map<string, Buffer>();
  let totalBytes = 0;
  let nextFileNumber = 0;
  return {
    add({ bytes, ...facts }) {
      const id = randomBytes(12).toString('base64url');
      const path = `${facts.kind}s/file_${nextFileNumber++}${extensionOf(facts.fileName)}`;
      const file = { id, uniqueId: randomBytes(9).toString('base64url'), sizeBytes: bytes.length, path, ...facts };
      files.set(id, file);
      idsByPath.set(path, id);
      contents.set(id, bytes);
      totalBytes += bytes.length;
      for (const [oldId, old] of contents) {
        if (totalBytes <= capacityBytes || oldId === id) break;
        contents.delete(oldId);
        totalBytes -= old.length;
      }
      return file;
    },
    find: (id) => files.get(id),
    findByPath: (path) => files.get(idsByPath.get(path) ?? ''),
    read: (id) => contents.get(id),
    list: () => [...files.values()],
    restore(file) {
      files.set(file.id, file);
      idsByPath.set(file.path, file.id);
      nextFileNumber = Math.max(nextFileNumber, Number(/file_(\d+)/.exec(file.path)?.[1] ?? 0) + 1);
    },
  };
}

function extensionOf(fileName: string | undefined): string {
  return /\.[a-zA-Z0-9]{1,8}$/.exec(fileName ?? '')?.[0] ?? '';
}

/** Returns the file id for one bot: a `file_id` of Telegram works only for the bot that received it. */
export function toBotFileId(botId: number, fileId: string): string {
  return Buffer.from(`${botId}/${fileId}`, 'utf8').toString('base64url');
}

/** Returns the internal id of a bot's `file_id`; undefined if it is malformed or belongs to another bot. */
export function fromBotFileId(botId: number, botFileId: string): string | undefined {
  const [owner, id] = Buffer.from(botFileId, 'base64url').toString('utf8').split('/');
  return owner === String(botId) ? id : undefined;
}
