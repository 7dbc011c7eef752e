import type { Message } from 'grammy/types';
import { LRUCache } from 'lru-cache';

/**
 * Decision about an album of which `/imagine` uses one photo. `drawn`: the user does not know yet that the others
 * are not used. `hint-sent`: the user knows.
 */
export type AlbumDecision = 'drawn' | 'hint-sent';

/** The parts of an album arrive within seconds, so few albums are needed. */
const MAX_ALBUMS = 1000;

/**
 * Decisions about albums, whose parts arrive as separate messages: a decision about one part applies to the later ones.
 * In memory only: parts that arrive after a restart are handled separately.
 */
export class AlbumMemory<Decision extends string | object> {
  readonly #decisions = new LRUCache<string, Decision>({ max: MAX_ALBUMS });

  /** Returns the decision; undefined for unknown albums and for messages outside of albums. */
  find(message: Message): Decision | undefined {
    return this.#decisions.get(toKey(message));
  }

  /** Stores a decision; ignores messages outside of albums. */
  record(message: Message, decision: Decision): void {
    if (message.media_group_id !== undefined) this.#decisions.set(toKey(message), decision);
  }
}

function toKey({ chat, media_group_id: albumId }: Message): string {
  return `${chat.id}:${albumId}`;
}
