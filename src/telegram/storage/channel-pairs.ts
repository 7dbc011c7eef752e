import type { Clock } from '../../lib/clock.ts';
import type { ChannelPair, StorageBot } from './storage-bot.ts';

/** All combinations of bot and channel. A pair that Telegram rejects is skipped for some time. */
export interface ChannelPairs {
  /** Returns the pairs that may be used now. */
  usable(): readonly ChannelPair[];
  rest(pair: ChannelPair): void;
  /** Returns the pairs of one channel: the given bot first, then usable ones, then the others. */
  ofChannel(chatId: number, botId: number): readonly ChannelPair[];
}

/** Time for which a rejected pair is skipped; an operator has to fix its cause. */
export const PAIR_REST_MS = 60_000;

export function createChannelPairs(
  clock: Clock,
  bots: readonly StorageBot[],
  chatIds: readonly number[],
): ChannelPairs {
  const pairs = chatIds.flatMap((chatId) => bots.map((bot): ChannelPair => ({ bot, chatId })));
  const restsUntil = new Map<ChannelPair, number>();
  const isUsable = (pair: ChannelPair) => (restsUntil.get(pair) ?? 0) <= clock.now();
  return {
    usable: () => pairs.filter(isUsable),
    rest: (pair) => void restsUntil.set(pair, clock.now() + PAIR_REST_MS),
    ofChannel(chatId, botId) {
      // A channel that was removed from the settings still holds the blobs stored in it.
      const all = chatIds.includes(chatId)
        ? pairs.filter((pair) => pair.chatId === chatId)
        : bots.map((bot) => ({ bot, chatId }));
      const rank = (pair: ChannelPair) => (pair.bot.id === botId ? 0 : isUsable(pair) ? 1 : 2);
      return all.toSorted((left, right) => rank(left) - rank(right));
    },
  };
}
