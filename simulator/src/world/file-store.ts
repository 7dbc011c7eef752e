import { randomBytes } from 'node:crypto';
import type { FileKind } from '../control-protocol.ts';

/** A file on the simulator's "servers". */
export interface StoredFile {
  /** What it was sent as; it can only be sent again as the same. */
  readonly kind: FileKind;
  /** The simulator's own id; bots see one made from it, see `toBotFileId`. */
  readonly id: string;
  readonly uniqueId: string;
  readonly sizeBytes: number;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
  /** Path under `/file/bot<token>/`: `photos/file_3.png`. */
  readonly path: string;
  /** Pixels, of pictures whose header could be read. */
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
  /** Undefined where the bytes were forgotten for newer ones. */
  read(id: string): Buffer | undefined;
  /** Every known file, oldest first. */
  list(): StoredFile[];
  /** Makes a file of an earlier process known, without its bytes. */
  restore(file: StoredFile): void;
}

/** Files in memory: the bytes of the oldest are forgotten above `capacityBytes`, what is known about a file stays. */
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

/** The id under which one bot knows a file: Telegram's `file_id`s serve only the bot that got them. */
export function toBotFileId(botId: number, fileId: string): string {
  return Buffer.from(`${botId}/${fileId}`, 'utf8').toString('base64url');
}

/** The simulator's id behind a bot's `file_id`; undefined where the id is malformed or another bot's. */
export function fromBotFileId(botId: number, botFileId: string): string | undefined {
  const [owner, id] = Buffer.from(botFileId, 'base64url').toString('utf8').split('/');
  return owner === String(botId) ? id : undefined;
}
