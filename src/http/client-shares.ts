import { toClientNetworks } from '../lib/network.ts';

/** A wide IPv6 network (/48) may hold this many times as much as a client. */
const WIDE_NETWORK_FACTOR = 4;

/** Places of which each client holds a bounded share. */
export interface ClientShares {
  readonly openCount: number;
  /**
   * Takes a place for a client.
   * @param address the client's IP address.
   * @param reservedCount places that must stay free for others. Default 0.
   * @returns the place, or the reason why there is none: all places are taken, or the client holds its share.
   */
  enter(address: string, reservedCount?: number): Place | 'full' | 'share';
}

export interface Place {
  /**
   * Counts the place under another name too, such as an API key.
   * @returns false where that name already holds its share.
   */
  countFor(name: string): boolean;
  /** Gives the place back. Later calls have no effect. */
  leave(): void;
}

/**
 * A client may hold `maxPerClient` places, but never more than are free for all others: however many a client takes, a client that
 * comes later finds as many.
 */
export function createClientShares(limits: { readonly maxOpen: number; readonly maxPerClient: number }): ClientShares {
  const held = new Map<string, number>();
  let openCount = 0;

  const isWithinShare = (name: string, max: number, freeCount: number) =>
    (held.get(name) ?? 0) < Math.min(max, freeCount);
  const count = (name: string, change: number) => {
    const next = (held.get(name) ?? 0) + change;
    if (next === 0) held.delete(name);
    else held.set(name, next);
  };

  return {
    get openCount() {
      return openCount;
    },
    enter(address, reservedCount = 0) {
      const freeCount = limits.maxOpen - reservedCount - openCount;
      if (freeCount <= 0) return 'full';
      const names = [...toClientNetworks(address)];
      const isAllowed = names.every((name, at) =>
        isWithinShare(name, at === 0 ? limits.maxPerClient : limits.maxPerClient * WIDE_NETWORK_FACTOR, freeCount),
      );
      if (!isAllowed) return 'share';
      openCount++;
      for (const name of names) count(name, 1);
      let isHeld = true;
      return {
        countFor(name) {
          // The place itself is counted already.
          if (!isWithinShare(name, limits.maxPerClient, limits.maxOpen - openCount + 1)) return false;
          names.push(name);
          count(name, 1);
          return true;
        },
        leave() {
          if (!isHeld) return;
          isHeld = false;
          openCount--;
          for (const name of names) count(name, -1);
        },
      };
    },
  };
}
