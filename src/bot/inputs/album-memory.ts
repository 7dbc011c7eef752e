import type { Message } from 'grammy/types';

/** Which albums have been seen: their photos come as messages of their own, one after the other. */
export interface AlbumMemory {
  /** Whether this is the first message of its album; a message outside of albums always is. */
  see(message: Message): 'first' | 'second' | 'later';
}

/** The parts of an album come within seconds, so few need to be remembered. */
const MAX_ALBUMS = 1000;

export function createAlbumMemory(): AlbumMemory {
  const counts = new Map<string, number>();
  return {
    see(message) {
      const id = message.media_group_id;
      if (id === undefined) return 'first';
      const count = (counts.get(id) ?? 0) + 1;
      counts.delete(id);
      counts.set(id, count);
      const [oldest] = counts.keys();
      if (counts.size > MAX_ALBUMS && oldest !== undefined) counts.delete(oldest);
      if (count === 1) return 'first';
      return count === 2 ? 'second' : 'later';
    },
  };
}
