import type { Message } from 'grammy/types';

/**
 * Decision about an album of which `/imagine` uses one photo. `drawn`: the user does not know yet that the others
 * are not used. `hint-sent`: the user knows.
 */
export type AlbumFate = 'drawn' | 'hint-sent';

/**
 * Decisions about albums, whose parts arrive as separate messages: a decision about one part applies to the later ones.
 * In memory only: parts that arrive after a restart are handled separately.
 */
export interface AlbumMemory<Fate> {
  /** Returns the decision; undefined for unknown albums and for messages outside of albums. */
  find(message: Message): Fate | undefined;
  /** Stores a decision; ignores messages outside of albums. */
  record(message: Message, fate: Fate): void;
}

/** The parts of an album arrive within seconds, so few albums are needed. */
const MAX_ALBUMS = 1000;

export function createAlbumMemory<Fate>(): AlbumMemory<Fate> {
  const fates = new Map<string, Fate>();
  return {
    find: (message) => fates.get(toKey(message)),
    record(message, fate) {
      if (message.media_group_id === undefined) return;
      const key = toKey(message);
      // Moves the entry to the end, as the newest.
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
