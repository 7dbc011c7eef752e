import { type Clock, runWithin } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type ChannelCheck, checkChannel } from './check-channel.ts';
import type { ChannelPair, StorageBot } from './storage-bot.ts';

/** Time for which a pair is skipped after a refusal that Telegram does not explain. */
export const PAIR_REST_MS = 60_000;
/** Interval of checks while a pair is usable; they run when someone asks. */
const CHECK_EVERY_MS = 30_000;
/** Interval of checks while no pair is usable. */
const OUTAGE_CHECK_EVERY_MS = 2000;
/** Timeout of a check of all pairs. */
const CHECK_TIMEOUT_MS = 3000;

interface Refusal {
  readonly until: number;
  /** True if Telegram says that the bot lacks the right, and so will say when it has it again. */
  readonly isExplained: boolean;
}

/**
 * All combinations of bot and channel. A pair that Telegram refuses is skipped until Telegram says that the bot may
 * post again, or for some time if Telegram does not explain the refusal.
 */
export class ChannelPairs {
  readonly #deps: { readonly clock: Clock; readonly logger: Logger };
  readonly #bots: readonly StorageBot[];
  readonly #chatIds: readonly number[];
  readonly #pairs: readonly ChannelPair[];
  readonly #refusals = new Map<ChannelPair, Refusal>();
  #checking: Promise<void> | undefined;
  #checkedAt: number;

  constructor(
    deps: { readonly clock: Clock; readonly logger: Logger },
    bots: readonly StorageBot[],
    chatIds: readonly number[],
  ) {
    this.#deps = deps;
    this.#bots = bots;
    this.#chatIds = chatIds;
    this.#pairs = chatIds.flatMap((chatId) => bots.map((bot): ChannelPair => ({ bot, chatId })));
    this.#checkedAt = deps.clock.now();
  }

  /** Returns the pairs that may be used now. */
  usable(): readonly ChannelPair[] {
    return this.#pairs.filter((pair) => this.#isUsable(pair));
  }

  /** Skips a pair whose message Telegram has refused. */
  refuse(pair: ChannelPair, reason: string): void {
    this.#skip(pair, reason, false);
    // Asks for the reason at once: the bot may return before the next regular check.
    this.#checkedAt = 0;
  }

  /** Returns the pairs of one channel: the given bot first, then usable ones, then the others. */
  ofChannel(chatId: number, botId: number): readonly ChannelPair[] {
    // A channel that was removed from the settings still holds the blobs stored in it.
    const all = this.#chatIds.includes(chatId)
      ? this.#pairs.filter((pair) => pair.chatId === chatId)
      : this.#bots.map((bot) => ({ bot, chatId }));
    const rank = (pair: ChannelPair) => (pair.bot.id === botId ? 0 : this.#isUsable(pair) ? 1 : 2);
    return all.toSorted((left, right) => rank(left) - rank(right));
  }

  /**
   * Returns why no pair can be used, undefined if one can. Asks Telegram about the rights of the bots, at most every
   * few seconds, and waits for its answer only while no pair can be used.
   */
  async findOutage(): Promise<string | undefined> {
    const { clock } = this.#deps;
    const isOut = () => this.usable().length === 0;
    const intervalMs = isOut() ? OUTAGE_CHECK_EVERY_MS : CHECK_EVERY_MS;
    if (!this.#checking && clock.now() - this.#checkedAt >= intervalMs) {
      this.#checkedAt = clock.now();
      this.#checking = this.#check().finally(() => {
        this.#checking = undefined;
      });
    }
    if (isOut()) await this.#checking;
    return isOut() ? 'no bot may write into a channel' : undefined;
  }

  #isUsable(pair: ChannelPair): boolean {
    return (this.#refusals.get(pair)?.until ?? 0) <= this.#deps.clock.now();
  }

  #skip(pair: ChannelPair, reason: string, isExplained: boolean): void {
    const { clock, logger } = this.#deps;
    if (this.#isUsable(pair))
      logger.warn({ chatId: pair.chatId, botId: pair.bot.id, reason }, 'a channel does not accept files');
    this.#refusals.set(pair, { until: clock.now() + PAIR_REST_MS, isExplained });
  }

  async #check(): Promise<void> {
    const limit = { timeoutMs: CHECK_TIMEOUT_MS, toReason: () => new Error('Telegram is silent') };
    const pairsByBot = [...Map.groupBy(this.#pairs, ({ bot }) => bot).values()];
    await runWithin(this.#deps.clock, limit, (signal) =>
      Promise.all(
        pairsByBot.map(async (pairs) => {
          for (const pair of pairs) this.#apply(pair, await checkChannel(pair.bot, pair.chatId, { signal }));
        }),
      ),
    );
  }

  #apply(pair: ChannelPair, check: ChannelCheck): void {
    const mayPost = findPostingRight(check);
    if (mayPost === false) {
      this.#skip(pair, check.kind, true);
    } else if (mayPost && this.#refusals.get(pair)?.isExplained) {
      this.#refusals.delete(pair);
      this.#deps.logger.info({ chatId: pair.chatId, botId: pair.bot.id }, 'a channel accepts files again');
    }
  }
}

/** Returns whether the bot may post in the channel, undefined if Telegram did not say. */
function findPostingRight(check: ChannelCheck): boolean | undefined {
  switch (check.kind) {
    case 'works':
      return true;
    case 'unknown':
      return false;
    case 'no-answer':
    case 'not-a-channel':
      return undefined;
    default:
      return check.mayPost;
  }
}
