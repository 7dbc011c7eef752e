import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { LimitOrders, ScopeLimits, ScopeStanding, SettleOrder, TakeOrder } from './limit-orders.ts';
import { MINUTE_MS } from './standing.ts';

/** What one piece of work wants. */
export type Wish = Pick<TakeOrder, 'tokens' | 'more' | 'pictures'>;

/** Scopes in which a piece of work counts. */
export interface ScopeGroup {
  /** Says everything about the scopes: whoever has the same shares what is spare. */
  readonly key: string;
  readonly scopes: readonly ScopeLimits[];
}

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
  take(group: ScopeGroup, wish: Wish): Promise<Room> | Room;
  /** Gives back what nobody has wanted yet; resolves when that is on its way to the database. */
  giveBack(): Promise<void>;
  /** The same for the last time. */
  close(): Promise<void>;
}

/** So long what is spare waits for work; others miss it meanwhile. */
const SPARE_MS = 1000;
const FIRST_SPARE = 8;
const MAX_SPARE = 1000;
/** With fewer at once waiting now and then costs less than a database that works beside them. */
const CROWD = 8;
/** So many are expected behind each of a crowd that comes at once. */
const CROWD_FOLLOWERS = 4;
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
  /** What comes behind it. */
  next: Spare | undefined;
  /** When the database was asked last, and how much to spare it is asked for. */
  askedAt: number;
  spareCount: number;
  /** Pieces of work that have room. */
  underWayCount: number;
}

/** What is set aside under one name. */
interface Hold {
  readonly hold: string;
  /** As the database knows the scopes. */
  readonly names: SettleOrder['scopes'];
}

interface Spare extends Hold {
  readonly usableUntil: number;
  readonly given: number;
  count: number;
  tokens: number;
  /** How the next piece of work finds the scopes. */
  found: readonly ScopeStanding[];
}

/**
 * Where much is left and many come, room for more work is taken along, so that most need no database: twice as much each time that it
 * did not last for a second, and enough for those who follow where a crowd comes at once. Among many at once the next is asked for when half
 * of it is gone, so that nobody waits. Where little is left everybody asks for himself, so a budget for ten gives exactly ten.
 */
export function createSpareRoom(deps: { readonly orders: LimitOrders; readonly clock: Clock }): SpareRoom {
  const { orders, clock } = deps;
  const stocks = new Map<string, Stock>();
  const askingAhead = new Set<Promise<void>>();
  let cancelSweep: (() => void) | undefined;

  const isRecent = ({ askedAt }: Stock) => clock.now() >= askedAt && clock.now() < askedAt + SPARE_MS;
  const giveBack = (stock: Stock) => {
    giveSpareBack(stock.spare);
    giveSpareBack(stock.next);
    stock.spare = undefined;
    stock.next = undefined;
  };
  const giveSpareBack = (spare: Spare | undefined) => {
    if (!spare || spare.count === 0) return;
    const nothing = { tokens: 0, pictures: 0 };
    const { hold, names: scopes } = spare;
    orders.settle(
      { hold, count: spare.count, unused: spare.count, freed: spare.tokens, ...nothing, scopes },
      SETTLE_SOON_MS,
    );
  };
  const giveAllBack = async () => {
    await Promise.all(askingAhead);
    for (const stock of stocks.values()) giveBack(stock);
  };
  const sweep = () => {
    cancelSweep = undefined;
    for (const [key, stock] of stocks) {
      if (stock.isTaking || isRecent(stock)) continue;
      if (stock.spare) stock.spareCount = stock.spare.given - stock.spare.count;
      else if (!stock.next) stocks.delete(key);
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
    const count = isRefused(found) ? 0 : (found.at(-1)?.spare ?? 0);
    return { hold, names: toNames(stock.scopes, found), found, spare: { count, tokens: count * spareTokens } };
  };
  const toRoom = (stock: Stock, wish: Wish, { hold, names }: Hold, found: Room['found'], isShared: boolean): Room => {
    if (!isRefused(found)) stock.underWayCount += 1;
    return {
      hold,
      found,
      settle({ tokens, pictures }) {
        stock.underWayCount -= 1;
        orders.settle(
          { hold, count: 1, unused: 0, freed: toTokens(wish), tokens, pictures, scopes: names },
          isShared ? SETTLE_LATER_MS : SETTLE_SOON_MS,
        );
      },
    };
  };
  const askForOne = async (stock: Stock, wish: Wish): Promise<Room> => {
    const asked = await ask(stock, [wish], 0);
    return toRoom(stock, wish, asked, asked.found, false);
  };

  const askForAll = async (stock: Stock, group: readonly Waiting[]) => {
    const { found, spare, ...hold } = await ask(
      stock,
      group.map(({ wish }) => wish),
      stock.spareCount,
    );
    if (isRefused(found) && group.length > 1) {
      for (const { wish, settle } of group) askForOne(stock, wish).then(settle.resolve, settle.reject);
      return;
    }
    const isShared = group.length > 1 || spare.count > 0;
    let next = found;
    for (const { wish, settle } of group) {
      settle.resolve(toRoom(stock, wish, hold, next, isShared));
      next = withWork(next, wish);
    }
    if (spare.count > 0) stock.spare = toSpare(hold, spare, next);
  };
  const toSpare = ({ hold, names }: Hold, { count, tokens }: Pick<Spare, 'count' | 'tokens'>, found: Room['found']) => {
    const minuteEnds = found.map(({ minuteBeganAt }) => minuteBeganAt + MINUTE_MS);
    const usableUntil = Math.min(clock.now() + SPARE_MS, ...minuteEnds);
    return { hold, names, usableUntil, given: count, count, tokens, found };
  };
  const noteAsking = (stock: Stock, workCount: number) => {
    const wanted = isRecent(stock) ? Math.max(FIRST_SPARE, 2 * stock.spareCount) : stock.spareCount;
    // Of a crowd only the first have come yet.
    stock.spareCount = Math.min(MAX_SPARE, workCount < CROWD ? wanted : Math.max(wanted, CROWD_FOLLOWERS * workCount));
    stock.askedAt = clock.now();
  };

  /** Asks for one more of the same and its spare room, while there is room for those who come meanwhile. */
  const askAhead = async (stock: Stock, wish: Wish) => {
    stock.isTaking = true;
    noteAsking(stock, 1);
    const one = { tokens: toTokens(wish), more: 0, pictures: 0 };
    try {
      const { found, spare, ...hold } = await ask(stock, [one], stock.spareCount);
      const room = { count: spare.count + 1, tokens: spare.tokens + one.tokens };
      if (!isRefused(found)) stock.next = toSpare(hold, room, found);
    } catch {
      // Whoever needs room asks for himself, and hears why there is none.
    }
    void work(stock);
  };
  const startAskingAhead = (stock: Stock, wish: Wish) => {
    const asking = askAhead(stock, wish).finally(() => askingAhead.delete(asking));
    askingAhead.add(asking);
  };

  const serveFromSpare = (stock: Stock) => {
    const { waiting } = stock;
    for (let [first] = waiting; first; [first] = waiting) {
      const room = takeSpare(stock, first.wish);
      if (!room) return;
      waiting.shift();
      first.settle.resolve(room);
    }
  };
  /** Of a stock whose taking has begun; ends it. */
  const work = async (stock: Stock) => {
    serveFromSpare(stock);
    while (stock.waiting.length > 0) {
      const group = stock.waiting.splice(0, MAX_TOGETHER);
      noteAsking(stock, group.length);
      giveBack(stock);
      await askForAll(stock, group).catch((error: unknown) => group.forEach(({ settle }) => void settle.reject(error)));
      serveFromSpare(stock);
    }
    stock.isTaking = false;
    scheduleSweep();
  };
  /** Behind everybody who comes in this turn of the loop: one statement is enough for all of them. */
  const startWork = (stock: Stock) => {
    stock.isTaking = true;
    setImmediate(() => void work(stock));
  };
  const hasRoom = (spare: Spare | undefined, wish: Wish): spare is Spare =>
    spare !== undefined && spare.count > 0 && spare.tokens >= toTokens(wish) && clock.now() < spare.usableUntil;
  const takeSpare = (stock: Stock, wish: Wish): Room | undefined => {
    if (!hasRoom(stock.spare, wish) && hasRoom(stock.next, wish)) {
      giveSpareBack(stock.spare);
      stock.spare = stock.next;
      stock.next = undefined;
    }
    const { spare } = stock;
    if (!hasRoom(spare, wish)) return undefined;
    const room = toRoom(stock, wish, spare, spare.found, true);
    spare.count -= 1;
    spare.tokens -= toTokens(wish);
    spare.found = withWork(spare.found, wish);
    const isHalfGone = spare.count <= spare.given / 2;
    if (isHalfGone && stock.underWayCount >= CROWD && !stock.next && !stock.isTaking) startAskingAhead(stock, wish);
    return room;
  };

  return {
    take({ key, scopes }, wish) {
      const stock = stocks.get(key) ?? createStock(scopes);
      // Pictures are few, and none of them is like the other.
      if (wish.pictures > 0) return askForOne(stock, wish);
      stocks.set(key, stock);
      const room = takeSpare(stock, wish);
      if (room) return room;
      const settle = Promise.withResolvers<Room>();
      stock.waiting.push({ wish, settle });
      if (!stock.isTaking) startWork(stock);
      return settle.promise;
    },
    giveBack: giveAllBack,
    async close() {
      await giveAllBack();
      cancelSweep?.();
      cancelSweep = undefined;
    },
  };
}

function createStock(scopes: readonly ScopeLimits[]): Stock {
  return {
    scopes,
    waiting: [],
    isTaking: false,
    spare: undefined,
    next: undefined,
    askedAt: Number.NEGATIVE_INFINITY,
    spareCount: 0,
    underWayCount: 0,
  };
}

function isRefused(found: readonly ScopeStanding[]): boolean {
  return found.some(({ refusal }) => refusal !== null);
}

function toTokens({ tokens, more }: Wish): number {
  return tokens + more;
}

/** How the scopes stand behind one more piece of work. */
function withWork(found: readonly ScopeStanding[], wish: Wish): readonly ScopeStanding[] {
  // Field by field: this is done for every request.
  return found.map(({ refusal, requests, minuteBeganAt, tokens, pictures, spare }) => ({
    refusal,
    requests: requests + 1,
    minuteBeganAt,
    tokens: tokens + toTokens(wish),
    pictures,
    spare,
  }));
}

function toNames(scopes: readonly ScopeLimits[], found: readonly ScopeStanding[]) {
  return scopes.map(({ scope }, at) => ({ scope, minuteBeganAt: found[at]?.minuteBeganAt ?? 0 }));
}
