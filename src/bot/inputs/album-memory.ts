import type { Message } from 'grammy/types';

/**
 * What became of albums: their parts come as messages of their own, one after the other, and what is decided about one of them holds for
 * those that follow. In memory alone: parts that come after a restart are on their own.
 */
export interface AlbumMemory<Fate> {
  /** Undefined where nothing is known of its album, and for messages outside of albums. */
  find(message: Message): Fate | undefined;
  /** Messages outside of albums leave nothing behind. */
  note(message: Message, fate: Fate): void;
}

/** The parts of an album come within seconds, so few need to be remembered. */
const MAX_ALBUMS = 1000;

export function createAlbumMemory<Fate>(): AlbumMemory<Fate> {
  const fates = new Map<string, Fate>();
  return {
    find: (message) => fates.get(toKey(message)),
    note(message, fate) {
      if (message.media_group_id === undefined) return;
      const key = toKey(message);
      // The newest stand last.
      fates.delete(key);
      fates.set(key, fate);
      const [oldest] = fates.keys();
      if (fates.size > MAX_ALBUMS && oldest !== undefined) fates.delete(oldest);
    },
  };
}

function toKey({ chat, media_group_id: albumId }: Message): string {
  return `${chat.id}:${albumId}`;
}
