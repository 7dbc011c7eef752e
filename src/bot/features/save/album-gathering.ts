import { isWithin, type WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import type { StoredSaveRequest } from './save-journal.ts';

/** Maximum pause between two parts; a later part is handled on its own. */
const WAIT_MS = 1500;
/** Telegram's limit for an album. */
const MAX_PARTS = 10;
const MAX_ALBUMS = 1000;

interface Album {
  readonly parts: StoredSaveRequest[];
  cancelTimer: () => void;
}

/** Creates the collector of the parts of albums: each part is a separate message, and none is marked as the last one. */
export function createAlbumGathering({ clock }: BotServices, onComplete: (request: StoredSaveRequest) => void) {
  const albums = new Map<string, Album>();

  const complete = (key: string) => {
    const album = albums.get(key);
    albums.delete(key);
    album?.cancelTimer();
    const [first] = album?.parts ?? [];
    if (!album || !first) return;
    const { parts } = album;
    onComplete({
      ...first,
      files: parts.flatMap(({ files }) => files),
      records: parts.flatMap(({ records }) => records),
    });
  };

  /** @param isMeant called with an album's first part. */
  const takeOut = (isMeant: (first: StoredSaveRequest) => boolean) =>
    [...albums].flatMap(([key, { parts, cancelTimer }]) => {
      const [first] = parts;
      if (!first || !isMeant(first)) return [];
      cancelTimer();
      albums.delete(key);
      return [parts];
    });

  return {
    /** The first part determines chat, topic and reply of the whole album. */
    add(albumId: string, part: StoredSaveRequest): void {
      const key = `${part.chatTopic.chatId}:${part.viewer.user.id}:${albumId}`;
      const album = albums.get(key) ?? { parts: [], cancelTimer: () => {} };
      album.cancelTimer();
      album.parts.push(part);
      albums.set(key, album);
      album.cancelTimer = clock.setTimer(WAIT_MS, () => complete(key));
      const [oldest] = albums.keys();
      if (album.parts.length >= MAX_PARTS) complete(key);
      else if (albums.size > MAX_ALBUMS && oldest !== undefined) complete(oldest);
    },
    /** Drops the user's albums in the scope. @returns their parts. */
    drop: (scope: WorkScope, userId: number): readonly (readonly StoredSaveRequest[])[] =>
      takeOut((first) => first.viewer.user.id === userId && isWithin(first.chatTopic, scope)),
    /** Drops the albums of a chat. @returns their parts. */
    abandon: (chatId: number): readonly StoredSaveRequest[] =>
      takeOut((first) => first.chatTopic.chatId === chatId).flat(),
    /** Returns the chats with incomplete albums. */
    listChats: (): ReadonlySet<number> =>
      new Set([...albums.values()].flatMap(({ parts }) => parts.map(({ chatTopic }) => chatTopic.chatId))),
    /** Completes all albums now. */
    flush(): void {
      for (const key of [...albums.keys()]) complete(key);
    },
  };
}
