import type { Clock } from '../../lib/clock.ts';
import type { ChannelPair, StorageBot } from './storage-bot.ts';

/** Every bot in every channel. A pair that Telegram turns away is left alone for a while. */
export interface ChannelPairs {
  /** Those that may be used now. */
  usable(): readonly ChannelPair[];
  rest(pair: ChannelPair): void;
  /** Of one channel: the named bot first, usable ones before others. */
  ofChannel(chatId: number, botId: number): readonly ChannelPair[];
}

/** How long an unusable pair is left alone; an operator has to mend it. */
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
      // A channel that is no longer among the settings still holds what was stored in it.
      const all = chatIds.includes(chatId)
        ? pairs.filter((pair) => pair.chatId === chatId)
        : bots.map((bot) => ({ bot, chatId }));
      const rank = (pair: ChannelPair) => (pair.bot.id === botId ? 0 : isUsable(pair) ? 1 : 2);
      return all.toSorted((left, right) => rank(left) - rank(right));
    },
  };
}
