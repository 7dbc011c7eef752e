import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { LimitOrders, ScopeLimits, ScopeStanding, TakeOrder } from './limit-orders.ts';
import { MINUTE_MS } from './standing.ts';

/** What one piece of work wants. */
export type Wish = Pick<TakeOrder, 'tokens' | 'more' | 'pictures'>;

/** How the scopes stood when one piece of work came to them; it has room where none of them has a refusal. */
export interface Room {
  readonly hold: string;
  readonly found: readonly ScopeStanding[];
  /** The work is over; to be called once. */
  settle(use: { readonly tokens: number; readonly pictures: number }): void;
}

/** Room for work, taken from the database for one piece of work or for many at once. */
export interface SpareRoom {
  /** @throws what the database throws */
  take(scopes: readonly ScopeLimits[], wish: Wish): Promise<Room>;
  /** Gives back what nobody has wanted yet. */
  giveBack(): void;
  /** The same for the last time. */
  close(): void;
}

/** So long what is spare waits for work; others miss it meanwhile. */
const SPARE_MS = 1000;
const FIRST_SPARE = 8;
const MAX_SPARE = 1000;
/** Statements that write down what has ended: at once where others may wait for it, together where there is plenty. */
const SETTLE_SOON_MS = 20;
const SETTLE_LATER_MS = 250;
/** More than these wait for the next statement. */
const MAX_TOGETHER = 1000;

interface Waiting {
  readonly wish: Wish;
  readonly settle: PromiseWithResolvers<Room>;
}

/** Everything about callers who are counted in the same scopes. */
interface Stock {
  readonly scopes: readonly ScopeLimits[];
  readonly waiting: Waiting[];
  isTaking: boolean;
  spare: Spare | undefined;
  /** When the database was asked last, and how much to spare it is asked for. */
  askedAt: number;
  spareCount: number;
}

interface Spare {
  readonly hold: string;
  readonly usableUntil: number;
  readonly given: number;
  count: number;
  tokens: number;
  /** How the next piece of work finds the scopes. */
  found: readonly ScopeStanding[];
}

/**
 * Where much is left and many come, room for more work is taken along, so that most need no database: twice as much each time that it
 * did not last for a second. Where little is left everybody asks for himself, so a budget for ten gives exactly ten.
 */
export function createSpareRoom(deps: { readonly orders: LimitOrders; readonly clock: Clock }): SpareRoom {
  const { orders, clock } = deps;
  const stocks = new Map<string, Stock>();
  let cancelSweep: (() => void) | undefined;

  const isRecent = ({ askedAt }: Stock) => clock.now() >= askedAt && clock.now() < askedAt + SPARE_MS;
  const giveBack = (stock: Stock) => {
    const { spare } = stock;
    stock.spare = undefined;
    if (!spare || spare.count === 0) return;
    const nothing = { tokens: 0, pictures: 0 };
    const scopes = toNames(stock.scopes, spare.found);
    orders.settle(
      { hold: spare.hold, count: spare.count, unused: spare.count, freed: spare.tokens, ...nothing, scopes },
      SETTLE_SOON_MS,
    );
  };
  const giveAllBack = () => {
    for (const stock of stocks.values()) giveBack(stock);
  };
  const sweep = () => {
    cancelSweep = undefined;
    for (const [key, stock] of stocks) {
      if (stock.isTaking || isRecent(stock)) continue;
      if (!stock.spare) stocks.delete(key);
      else stock.spareCount = stock.spare.given - stock.spare.count;
      giveBack(stock);
    }
    scheduleSweep();
  };
  const scheduleSweep = () => {
    if (stocks.size > 0) cancelSweep ??= clock.setTimer(SPARE_MS, sweep);
  };

  /** Asks the database for these, and for some more. */
  const ask = async (stock: Stock, wishes: readonly Wish[], spareCount: number) => {
    const hold = createId('');
    const isOne = wishes.length === 1;
    const sum = (amount: (wish: Wish) => number) => wishes.reduce((total, wish) => total + amount(wish), 0);
    const whole = sum(toTokens);
    const spareTokens = Math.ceil(whole / wishes.length);
    const found = await orders.take({
      hold,
      count: wishes.length,
      // Of several each must get all that it wishes for: how much is left for one is not known of many.
      tokens: isOne ? sum(({ tokens }) => tokens) : whole,
      more: isOne ? sum(({ more }) => more) : 0,
      pictures: sum(({ pictures }) => pictures),
      spare: spareCount,
      spareTokens,
      scopes: stock.scopes,
    });
    const count = found.some(({ refusal }) => refusal !== null) ? 0 : (found.at(-1)?.spare ?? 0);
    return { hold, found, spare: { count, tokens: count * spareTokens } };
  };
  const toRoom = (stock: Stock, wish: Wish, from: Pick<Room, 'hold' | 'found'>, isShared: boolean): Room => ({
    ...from,
    settle: (use) =>
      orders.settle(
        {
          hold: from.hold,
          count: 1,
          unused: 0,
          freed: toTokens(wish),
          ...use,
          scopes: toNames(stock.scopes, from.found),
        },
        isShared ? SETTLE_LATER_MS : SETTLE_SOON_MS,
      ),
  });
  const askForOne = async (stock: Stock, wish: Wish): Promise<Room> =>
    toRoom(stock, wish, await ask(stock, [wish], 0), false);

  const askForAll = async (stock: Stock, group: readonly Waiting[]) => {
    const { hold, found, spare } = await ask(
      stock,
      group.map(({ wish }) => wish),
      stock.spareCount,
    );
    const isRefused = found.some(({ refusal }) => refusal !== null);
    if (isRefused && group.length > 1) {
      for (const { wish, settle } of group) askForOne(stock, wish).then(settle.resolve, settle.reject);
      return;
    }
    const isShared = group.length > 1 || spare.count > 0;
    let next = found;
    for (const { wish, settle } of group) {
      settle.resolve(toRoom(stock, wish, { hold, found: next }, isShared));
      next = withWork(next, wish);
    }
    if (spare.count === 0) return;
    const minuteEnds = next.map(({ minuteBeganAt }) => minuteBeganAt + MINUTE_MS);
    const usableUntil = Math.min(clock.now() + SPARE_MS, ...minuteEnds);
    stock.spare = { hold, usableUntil, given: spare.count, ...spare, found: next };
  };
  const work = async (stock: Stock) => {
    stock.isTaking = true;
    while (stock.waiting.length > 0) {
      const group = stock.waiting.splice(0, MAX_TOGETHER);
      if (isRecent(stock)) stock.spareCount = Math.min(MAX_SPARE, Math.max(FIRST_SPARE, 2 * stock.spareCount));
      stock.askedAt = clock.now();
      giveBack(stock);
      await askForAll(stock, group).catch((error: unknown) => group.forEach(({ settle }) => void settle.reject(error)));
    }
    stock.isTaking = false;
    scheduleSweep();
  };
  const takeSpare = (stock: Stock, wish: Wish): Room | undefined => {
    const { spare } = stock;
    if (!spare || spare.count === 0 || spare.tokens < toTokens(wish) || clock.now() >= spare.usableUntil)
      return undefined;
    const room = toRoom(stock, wish, { hold: spare.hold, found: spare.found }, true);
    spare.count -= 1;
    spare.tokens -= toTokens(wish);
    spare.found = withWork(spare.found, wish);
    return room;
  };

  return {
    async take(scopes, wish) {
      const key = JSON.stringify(scopes);
      const stock = stocks.get(key) ?? createStock(scopes);
      // Pictures are few, and none of them is like the other.
      if (wish.pictures > 0) return askForOne(stock, wish);
      stocks.set(key, stock);
      const room = takeSpare(stock, wish);
      if (room) return room;
      const settle = Promise.withResolvers<Room>();
      stock.waiting.push({ wish, settle });
      if (!stock.isTaking) void work(stock);
      return settle.promise;
    },
    giveBack: giveAllBack,
    close() {
      giveAllBack();
      cancelSweep?.();
      cancelSweep = undefined;
    },
  };
}

function createStock(scopes: readonly ScopeLimits[]): Stock {
  return { scopes, waiting: [], isTaking: false, spare: undefined, askedAt: Number.NEGATIVE_INFINITY, spareCount: 0 };
}

function toTokens({ tokens, more }: Wish): number {
  return tokens + more;
}

/** How the scopes stand behind one more piece of work. */
function withWork(found: readonly ScopeStanding[], wish: Wish): readonly ScopeStanding[] {
  return found.map((scope) => ({ ...scope, requests: scope.requests + 1, tokens: scope.tokens + toTokens(wish) }));
}

function toNames(scopes: readonly ScopeLimits[], found: readonly ScopeStanding[]) {
  return scopes.map(({ scope }, at) => ({ scope, minuteBeganAt: found[at]?.minuteBeganAt ?? 0 }));
}
