import { toClientNetworks } from '../../../lib/http/network.ts';

export interface Slot {
  /**
   * Counts the slot also under another name, such as an API key.
   * @returns false if that name already holds its share.
   */
  countFor(name: string): boolean;
  /** Releases the slot. Idempotent. */
  leave(): void;
}

/** Factor by which the limit of a wide IPv6 network (/48) exceeds that of a client. */
const WIDE_NETWORK_FACTOR = 4;

/**
 * Creates slots of which a client may hold `maxPerClient`, but never more than remain free for all others. A client
 * that comes later can thus always get as many. The same applies to each other name by which slots are counted.
 */
export function createClientShares(limits: { readonly maxOpen: number; readonly maxPerClient: number }) {
  const counts = new Map<string, number>();
  let openCount = 0;
  /** Slots that are counted under another name, too. */
  let namedCount = 0;

  const isWithinShare = (name: string, max: number, freeCount: number) =>
    (counts.get(name) ?? 0) < Math.min(max, freeCount);
  const count = (name: string, change: number) => {
    const next = (counts.get(name) ?? 0) + change;
    if (next === 0) counts.delete(name);
    else counts.set(name, next);
  };

  return {
    get openCount() {
      return openCount;
    },
    /**
     * Takes a slot for a client.
     * @param address the client's IP address.
     * @param reservedCount slots that must remain free for others. Default 0.
     * @returns the slot, or why there is none: `full` if all are taken, `share` if the client holds its share.
     */
    enter(address: string, reservedCount = 0): Slot | 'full' | 'share' {
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
      let isNamed = false;
      return {
        countFor(name) {
          // In a burst of one key, those that wait to be named are its own: taken for others, they would reduce its share.
          if (!isWithinShare(name, limits.maxPerClient, limits.maxOpen - namedCount)) return false;
          names.push(name);
          count(name, 1);
          if (!isNamed) namedCount++;
          isNamed = true;
          return true;
        },
        leave() {
          if (!isHeld) return;
          isHeld = false;
          openCount--;
          if (isNamed) namedCount--;
          for (const name of names) count(name, -1);
        },
      };
    },
  };
}
