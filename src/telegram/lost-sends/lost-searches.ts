import { countsAlone } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';

/** Search for one lost message in a chat that shares its numbering with others. */
export interface LostSearch {
  readonly chatId: number;
  readonly beganAt: number;
  /** A search in this chat has ended shortly before, so its lost message is newer than those of searches since then. */
  readonly isRepeated: boolean;
  /** Number of the pass over the ids, from 1. */
  pass: number;
  /** In this pass, the chat was asked about all ids up to here, as far as the message may have them. */
  reach: number;
  /** Greatest id of the messages found. */
  newestFound: number;
  /** When it ended; undefined while it runs. */
  endedAt: number | undefined;
}

/** A search that ended this long ago says nothing about messages that arrive now. */
const FORGET_MS = 30_000;
/** Longest wait for the searches in other chats, which are as long as the own one if they began together. */
const MOST_WAIT_MS = 2000;
/** Messages whose searches begin so much later come after the own one. */
const LATER_MS = 2000;
const LOOK_EVERY_MS = 100;

/**
 * Searches for lost messages in the chats that share one numbering, private chats and basic groups. Messages that other
 * chats have lost may come before the own one; each chat finds its own, so none has to look behind all of them.
 */
export class LostSearches {
  readonly #clock: Clock;
  readonly #searches = new Map<number, LostSearch>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a search. The caller changes it as it goes on. */
  begin(chatId: number, afterId: number): LostSearch {
    const beganAt = this.#clock.now();
    for (const [id, { endedAt }] of this.#searches)
      if (endedAt !== undefined && beganAt - endedAt > FORGET_MS) this.#searches.delete(id);
    const isRepeated = this.#searches.has(chatId);
    const place = { pass: 1, reach: afterId, newestFound: 0, endedAt: undefined };
    const search: LostSearch = { chatId, beganAt, isRepeated, ...place };
    if (!countsAlone(chatId)) this.#searches.set(chatId, search);
    return search;
  }

  /** Returns the other chats whose searches find what comes before the message of this one. */
  listOtherChats(own: LostSearch): readonly number[] {
    const isNewer = (other: LostSearch) => isLater(other, own) && !other.isRepeated;
    return this.#listOthers(own).flatMap((other) => (isNewer(other) ? [] : [other.chatId]));
  }

  /** Returns the greatest id that the searches of other chats have found. */
  newestFound(own: LostSearch): number {
    return Math.max(0, ...this.#listOthers(own).map(({ newestFound }) => newestFound));
  }

  /**
   * Waits until the other searches have come as far as this one, for a few seconds at most.
   * @returns the number of those that have not. @throws the signal's reason.
   */
  async waitForOthers(own: LostSearch, signal: AbortSignal): Promise<number> {
    const until = this.#clock.now() + MOST_WAIT_MS;
    for (;;) {
      const behind = this.#listOthers(own).filter((other) => isBehind(other, own));
      if (behind.length === 0 || this.#clock.now() >= until) return behind.length;
      await sleep(this.#clock, LOOK_EVERY_MS, signal);
    }
  }

  #listOthers(own: LostSearch): readonly LostSearch[] {
    // The search of a chat that counts alone is not in the list, and has no others.
    const all = [...this.#searches.values()];
    return all.includes(own) ? all.filter((search) => search !== own) : [];
  }
}

function isLater(other: LostSearch, own: LostSearch): boolean {
  return other.beganAt > own.beganAt + LATER_MS;
}

function isBehind(other: LostSearch, own: LostSearch): boolean {
  if (isLater(other, own)) return false;
  if (other.endedAt !== undefined || other.pass > own.pass) return false;
  return other.pass < own.pass || other.reach < own.reach;
}
