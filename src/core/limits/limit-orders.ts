import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';

/** Asks for room in every scope at once. */
export interface TakeOrder {
  readonly kind: 'take';
  readonly hold: string;
  /** Pieces of work; all of them or none. */
  readonly count: number;
  /** There must be so many left. */
  readonly tokens: number;
  /** Set aside beyond that, as far as there are. */
  readonly more: number;
  readonly pictures: number;
  /** Room for so many more is set aside with it, each with `spareTokens`; a 32nd of what is left at most. */
  readonly spare: number;
  readonly spareTokens: number;
  readonly scopes: readonly ScopeLimits[];
}

export interface ScopeLimits {
  readonly scope: string;
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
  readonly pictures?: number | undefined;
  readonly atOnce?: number | undefined;
}

/** How a scope stood when an order came to it. */
export interface ScopeStanding {
  readonly refusal: 'requests' | 'tokens' | 'pictures' | 'atOnce' | 'heldTokens' | 'heldPictures' | null;
  readonly requests: number;
  /** Unix milliseconds. */
  readonly minuteBeganAt: number;
  /** What others hold counts as used. */
  readonly tokens: number;
  readonly pictures: number;
  /** How many more have got room; that of the last scope counts. */
  readonly spare: number;
}

/** Work has ended. A hold goes with its last one. */
export interface SettleOrder {
  readonly kind: 'settle';
  readonly hold: string;
  /** Pieces of work. */
  readonly count: number;
  /** Those among them that never began: their requests are given back. */
  readonly unused: number;
  /** What they have really used. */
  readonly tokens: number;
  readonly pictures: number;
  /** What was set aside for them, where others share the hold. */
  readonly freed: number;
  readonly scopes: readonly Pick<ScopeStanding & ScopeLimits, 'scope' | 'minuteBeganAt'>[];
}

/** Frees what nobody renews. */
interface ExpireOrder {
  readonly kind: 'expire';
}

interface RenewOrder {
  readonly kind: 'renew';
  readonly holds: readonly string[];
}

/** The way to the database: one statement at a time, each with all orders that came during the one before. */
export interface LimitOrders {
  /** One standing a scope; nothing was taken where any of them has a refusal. @throws what the database throws */
  take(order: Omit<TakeOrder, 'kind'>): Promise<readonly ScopeStanding[]>;
  /**
   * Is carried out within `withinMs`, with the first order that goes to the database anyway, and once: where an answer of the database
   * is lost it is asked again, and knows. Several of one hold become one.
   */
  settle(order: Omit<SettleOrder, 'kind'>, withinMs: number): void;
  /** Keeps holds from expiring. */
  renew(holds: readonly string[]): void;
  /** Resolves when everything that was settled is in the database, or could not be written. */
  flush(): Promise<void>;
  /** The same for the last time. */
  close(): Promise<void>;
}

/** How long a hold lives without being renewed: what a killed process held is free again after that. */
export const HOLD_LEASE_MS = 60_000;
/** The embedded database works in this thread: so many hold up everybody else for some milliseconds. */
const BATCH_ORDERS = 50;
const EXPIRE_EVERY_MS = 1000;
const RETRY_MS = 2000;
/** Beyond this the oldest are forgotten, with a word in the log. */
const MAX_WAITING = 50_000;

type Waiting =
  | { readonly order: TakeOrder; readonly settle: PromiseWithResolvers<readonly ScopeStanding[]> }
  | { readonly order: SettleOrder | RenewOrder; readonly settle: undefined };

/** What ends of the same hold are added to, until it goes to the database. */
interface WaitingEnd {
  order: SettleOrder;
  readonly settle: undefined;
}

/** Orders that go together, as they were the first time. */
interface NumberedBatch {
  readonly number: number;
  readonly batch: readonly Waiting[];
}

/** What the database says to each order; nothing where it has had the batch before. */
type Answers = readonly (readonly ScopeStanding[] | null)[];

export function createLimitOrders(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): LimitOrders {
  let waiting: Waiting[] = [];
  /** Those of `waiting` that settle, by their hold. */
  const ends = new Map<string, WaitingEnd>();
  /** Batches of this process have a number each: the database carries out none twice, nor one that arrives after a later one. */
  const writer = createId('');
  let lastNumber = 0;
  /** A batch of which nobody knows whether the database has it. Nothing else is sent before that is known. */
  let unsure: NumberedBatch | undefined;
  let working: Promise<void> | undefined;
  /** Whether what waits is to be sent now. Else it has some patience left. */
  let isDue = false;
  let cancelRetry: (() => void) | undefined;
  let settling: { readonly at: number; readonly cancel: () => void } | undefined;
  let expiredAt = Number.NEGATIVE_INFINITY;

  /** Before all others, now and then: what is free again may be what the next one needs. */
  const listExpiry = (): readonly ExpireOrder[] => {
    const now = deps.clock.now();
    if (now >= expiredAt && now < expiredAt + EXPIRE_EVERY_MS) return [];
    expiredAt = now;
    return [{ kind: 'expire' }];
  };
  const send = async ({ number, batch }: NumberedBatch) => {
    const expiry = listExpiry();
    const orders = JSON.stringify([...expiry, ...batch.map(({ order }) => order)]);
    const moment = new Date(deps.clock.now()).toISOString();
    const answers = sql<Answers>`use_limits(${orders}::jsonb, ${moment}::timestamptz, ${`${HOLD_LEASE_MS} ms`}::interval, ${writer}, ${number}::bigint)`;
    const [row] = await deps.db.select({ answers }).from(sql`(select 1) as one`);
    return row?.answers.slice(expiry.length) ?? [];
  };
  const leave = ({ order }: Waiting) => {
    if (order.kind === 'settle') ends.delete(order.hold);
  };
  const takeBatch = (): NumberedBatch => {
    const batch = waiting.splice(0, BATCH_ORDERS);
    batch.forEach(leave);
    isDue = waiting.length > 0;
    return { number: ++lastNumber, batch };
  };
  const work = async () => {
    while (unsure || (isDue && waiting.length > 0)) {
      const { number, batch } = unsure ?? takeBatch();
      try {
        const answers = await send({ number, batch });
        unsure = undefined;
        for (const [at, { settle }] of batch.entries()) settle?.resolve(answers[at] ?? []);
      } catch (error) {
        for (const { settle } of batch) settle?.reject(error);
        const unsettled = batch.filter(({ order }) => order.kind === 'settle');
        unsure = unsettled.length > 0 ? { number, batch: unsettled } : undefined;
        if (!unsure) continue;
        deps.logger.error({ reason: describeError(error), orders: unsettled.length }, 'use could not be counted yet');
        cancelRetry ??= deps.clock.setTimer(RETRY_MS, () => {
          cancelRetry = undefined;
          void start();
        });
        // Whoever waits for an answer would wait in vain.
        for (const { settle } of waiting) settle?.reject(error);
        waiting = waiting.filter(({ settle }) => settle === undefined);
        return;
      }
    }
  };
  const start = () => {
    isDue = true;
    working ??= work().finally(() => {
      working = undefined;
      // Something came after the last look.
      if (isDue && waiting.length > 0 && !cancelRetry) void start();
    });
    return working;
  };
  const add = (one: Waiting) => {
    if (waiting.length >= MAX_WAITING) {
      const [oldest] = waiting.splice(0, 1);
      if (oldest) leave(oldest);
      oldest?.settle?.reject(new Error('The database has been away for too long'));
      deps.logger.error('use is not counted: the database has been away for too long');
    }
    waiting.push(one);
    if (one.settle) void start();
  };
  const startWithin = (withinMs: number) => {
    const at = deps.clock.now() + withinMs;
    if (settling && settling.at <= at) return;
    settling?.cancel();
    const cancel = deps.clock.setTimer(withinMs, () => {
      settling = undefined;
      void start();
    });
    settling = { at, cancel };
  };
  const settle = (order: SettleOrder, withinMs: number) => {
    const known = ends.get(order.hold);
    if (known) known.order = join(known.order, order);
    else {
      const end: WaitingEnd = { order, settle: undefined };
      add(end);
      ends.set(order.hold, end);
    }
    startWithin(withinMs);
  };

  const flush = async () => {
    await working;
    await start();
  };

  return {
    take(order) {
      const settle = Promise.withResolvers<readonly ScopeStanding[]>();
      add({ order: { kind: 'take', ...order }, settle });
      return settle.promise;
    },
    settle: (order, withinMs) => settle({ kind: 'settle', ...order }, withinMs),
    renew(holds) {
      add({ order: { kind: 'renew', holds }, settle: undefined });
      startWithin(0);
    },
    flush,
    async close() {
      await flush();
      settling?.cancel();
      cancelRetry?.();
      settling = undefined;
      cancelRetry = undefined;
    },
  };
}

function join(one: SettleOrder, other: SettleOrder): SettleOrder {
  return {
    kind: 'settle',
    hold: one.hold,
    scopes: one.scopes,
    count: one.count + other.count,
    unused: one.unused + other.unused,
    tokens: one.tokens + other.tokens,
    pictures: one.pictures + other.pictures,
    freed: one.freed + other.freed,
  };
}
