import { and, eq, type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ChatLeases,
  createArrivals,
  createInbox,
  type Inbox,
  type InboxOptions,
  type IncomingUpdate,
} from '../../src/core/inbox/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { chatQueueOwners, updates, updateWorkers } from '../../src/database/schema/index.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { createBusyDatabase, watchDatabase } from '../support/stores/watched-database.ts';

describeOnEveryDatabase('inbox', (createDatabase) => {
  let database: TestDatabase;
  let botId = 1000;
  let open: Inbox[] = [];
  const { logger, lines } = createRecordingLogger();
  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(async () => {
    for (const inbox of open.splice(0)) await end(inbox);
    botId += 1;
    lines.length = 0;
  });
  afterAll(async () => {
    for (const inbox of open) await end(inbox);
    await database.close();
  });

  const end = async (inbox: Inbox) => {
    await inbox.drain(100);
    await inbox.close();
  };
  /** Creates the inbox of one process. It writes the payload of each handled update into `handled`. */
  const createProcess = (
    handled: string[],
    options: Partial<InboxOptions> = {},
    clock: Clock = systemClock,
    db = database.db,
  ) => {
    const inbox = createInbox(
      { db, clock, logger },
      {
        botId,
        isOnlyProcess: false,
        handle: async (payload) => void handled.push(String(payload)),
        onTakenOver: async () => {},
        listBusyChatQueues: () => new Set(),
        pollMs: 50,
        ...options,
      },
    );
    open.push(inbox);
    return inbox;
  };
  const update = (id: number, chatQueue = 1): IncomingUpdate => ({ id, chatQueue, payload: `${chatQueue}:${id}` });
  const many = (count: number, toLane: (id: number) => number = () => 1) =>
    Array.from({ length: count }, (_, at) => update(at + 1, toLane(at + 1)));
  const waits = (check: () => void | Promise<void>) => vi.waitFor(check);
  const rows = () => database.db.select().from(updates).where(eq(updates.botId, botId)).orderBy(updates.updateId);
  const leased = () => database.db.select().from(chatQueueOwners).where(eq(chatQueueOwners.botId, botId));
  /** A process that is killed during a handler: the handler never ends, and the process writes nothing more. */
  const crashIn = async (incoming: readonly IncomingUpdate[], leaseMs: number) => {
    const began: string[] = [];
    const clock = createSuspendableClock();
    const dead = createProcess(
      [],
      {
        leaseMs,
        handle: (payload) => {
          began.push(String(payload));
          return new Promise(() => {});
        },
      },
      clock,
    );
    await dead.start();
    await dead.accept(incoming);
    const chatQueues = new Set(incoming.map(({ chatQueue }) => chatQueue));
    await waits(() => expect(began).toHaveLength(chatQueues.size));
    clock.suspend();
    open = open.filter((inbox) => inbox !== dead);
  };
  const whoHas = async (chatQueue: number) => {
    const row = (await leased()).find((one) => one.chatQueue === chatQueue) ?? expect.fail('nobody has the queue');
    return eq(updateWorkers.id, row.workerId);
  };
  const aliveUntil = async (chatQueue: number) => {
    const [worker] = await database.db
      .select()
      .from(updateWorkers)
      .where(await whoHas(chatQueue));
    return worker?.aliveUntil.getTime() ?? 0;
  };
  /** Advances the clock until the lease of a silent process has expired. */
  const endLease = async (chatQueue: number) => {
    await database.db
      .update(updateWorkers)
      .set({ aliveUntil: sql`now()` })
      .where(await whoHas(chatQueue));
  };

  it('handles each update once, in the order of its chat queue, and keeps only its id', async () => {
    const handled: string[] = [];
    const inbox = createProcess(handled);
    await inbox.start();
    expect(await inbox.accept(many(40, (id) => id % 4))).toBe(40);
    await waits(() => expect(handled).toHaveLength(40));
    for (const chatQueue of [0, 1, 2, 3]) {
      const ids = handled.filter((one) => one.startsWith(`${chatQueue}:`)).map((one) => Number(one.split(':')[1]));
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    }
    await vi.waitFor(async () => {
      expect((await rows()).every((row) => row.handledAt !== null && row.payload === null)).toBe(true);
      expect(await leased()).toEqual([]);
    });
  });

  it('stores simultaneous updates with a few statements, without waiting for handlers', async () => {
    const moments: string[] = [];
    const db = watchDatabase(database.db, async (moment) => void moments.push(moment));
    const inbox = createProcess([], { handle: () => new Promise(() => {}) }, systemClock, db);
    const taken = await Promise.all(many(150, (id) => id).map((one) => inbox.accept([one])));
    expect(taken).toEqual(Array(150).fill(1));
    expect(await rows()).toHaveLength(150);
    // One statement counts, one writes a hundred updates, one writes the rest.
    expect(moments.filter((moment) => moment === 'before')).toHaveLength(3);
    await inbox.start();
    expect(await inbox.accept([update(151, 1)])).toBe(1);
    open = open.filter((one) => one !== inbox);
    await inbox.drain(0);
    await inbox.close();
  });

  it('accepts updates that need no handling without storing them, also when the inbox is full', async () => {
    const handled: string[] = [];
    const inbox = createProcess(handled, { hasNoEffect: (payload) => payload === 'talk', maxWaitingPerQueue: 1 });
    const talk = (id: number) => ({ id, chatQueue: 1, payload: 'talk' });
    expect(await inbox.accept([talk(1), update(2), talk(3)])).toBe(3);
    expect(await inbox.accept([talk(4), update(5), talk(6)])).toBe(1);
    expect(await inbox.accept([talk(7)])).toBe(1);
    expect((await rows()).map((row) => row.updateId)).toEqual([2]);
    await inbox.start();
    await waits(() => expect(handled).toEqual(['1:2']));
  });

  it('accepts an update that can not be classified, together with the rest of its batch', async () => {
    const hasNoEffect = (payload: unknown) => {
      if (payload === 'malformed') throw new TypeError('not an update');
      return false;
    };
    const inbox = createProcess([], { hasNoEffect });
    expect(await inbox.accept([update(1), { id: 2, chatQueue: 1, payload: 'malformed' }, update(3)])).toBe(3);
    expect((await rows()).map((row) => row.updateId)).toEqual([1, 2, 3]);
  });

  it('knows which messages have arrived in a chat, handled or not', async () => {
    const inbox = createProcess([]);
    const chatQueues = [
      [1, 5],
      [2, 6],
      [1, 7],
      [-1_000_000_000_009, 8],
    ] as const;
    await inbox.accept(
      chatQueues.map(([chatQueue, messageId], at) => ({ id: at + 1, chatQueue, messageId, payload: 'a message' })),
    );
    await inbox.accept([update(9)]);
    await inbox.start();
    await vi.waitFor(async () => expect((await rows()).every((row) => row.payload === null)).toBe(true));
    const { listMessageIds } = createArrivals({ db: database.db, botId });
    expect(await listMessageIds({ after: 0, chats: { only: 1 } })).toEqual([5, 7]);
    expect(await listMessageIds({ after: 5, chats: { greaterThan: -1_000_000_000_000 } })).toEqual([6, 7]);
  });

  it('recognizes a repeated update while it waits, is being handled, and is done', async () => {
    const handled: string[] = [];
    const gate = Promise.withResolvers<void>();
    const inbox = createProcess(handled, {
      handle: async (payload) => {
        await gate.promise;
        handled.push(String(payload));
      },
    });
    await inbox.start();
    await inbox.accept([update(1), update(1), update(2)]);
    expect(await inbox.accept([update(1), update(2)])).toBe(2);
    gate.resolve();
    await waits(() => expect(handled).toEqual(['1:1', '1:2']));
    await inbox.accept([update(2), update(1), update(3)]);
    await waits(() => expect(handled).toEqual(['1:1', '1:2', '1:3']));
  });

  it('handles updates that were stored before it started', async () => {
    const handled: string[] = [];
    const before = createProcess(handled);
    await before.accept(many(30));
    await end(before);
    expect(handled).toEqual([]);
    await createProcess(handled).start();
    await waits(() => expect(handled).toEqual(many(30).map(({ payload }) => payload)));
  });

  it('sets aside an update that fails three times, with its error, and continues with the others', async () => {
    const handled: string[] = [];
    let tries = 0;
    const inbox = createProcess(handled, {
      handle: async (payload) => {
        if (payload === '1:2') {
          tries += 1;
          throw new Error('poison \u0000');
        }
        handled.push(String(payload));
      },
    });
    await inbox.start();
    await inbox.accept([update(1), update(2), update(3), update(4, 2)]);
    await waits(() => expect(handled.toSorted()).toEqual(['1:1', '1:3', '2:4']));
    expect(tries).toBe(3);
    const [, poison] = await rows();
    expect(poison).toMatchObject({ attempts: 3, lastError: 'poison ', payload: '1:2', handledAt: null });
    expect(poison?.failedAt).toBeInstanceOf(Date);
    expect(lines.some((line) => line.includes('set aside'))).toBe(true);
  });

  it('stores payloads that Postgres would refuse', async () => {
    const seen: unknown[] = [];
    const inbox = createProcess([], { handle: async (payload) => void seen.push(payload) });
    await inbox.start();
    await inbox.accept([{ id: 1, chatQueue: 1, payload: { text: 'a\u0000b\ud83d', id: 7_000_000_000_000 } }]);
    await waits(() => expect(seen).toEqual([{ text: 'ab\ufffd', id: 7_000_000_000_000 }]));
  });

  it('accepts updates up to its limits from the start, and again when there is space', async () => {
    const gate = Promise.withResolvers<void>();
    const inbox = createProcess([], { handle: () => gate.promise, maxWaitingPerQueue: 3, maxWaiting: 5 });
    expect(await inbox.accept([update(1), update(2), update(3), update(4), update(5, 2)])).toBe(3);
    expect(await inbox.accept([update(4)])).toBe(0);
    expect(await inbox.accept([update(5, 2), update(6, 3), update(7, 4)])).toBe(2);
    await inbox.start();
    gate.resolve();
    await vi.waitFor(async () => expect(await inbox.accept([update(4), update(7, 4)])).toBe(2));
  });

  it('handles a bounded number of chat queues at once, each in its turn', async () => {
    let running = 0;
    let most = 0;
    const handled: string[] = [];
    const inbox = createProcess(handled, {
      maxConcurrent: 3,
      handle: async (payload) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        handled.push(String(payload));
      },
    });
    await inbox.start();
    await inbox.accept([...many(60), ...Array.from({ length: 10 }, (_, at) => update(100 + at, 100 + at))]);
    await waits(() => expect(handled).toHaveLength(70));
    expect(most).toBe(3);
    // A chat queue of sixty updates does not keep the others waiting until its end.
    expect(handled.indexOf('109:109')).toBeLessThan(handled.indexOf('1:60'));
  });

  it('after a crash of the only process, handles running updates again at once and in order', async () => {
    await crashIn([update(1), update(2), update(3, 2)], 60_000);
    const handled: string[] = [];
    const events: string[] = [];
    const next = createProcess(handled, {
      isOnlyProcess: true,
      onTakenOver: async (chatQueue) =>
        void events.push(`queue ${chatQueue} after ${handled.filter((one) => one.startsWith(`${chatQueue}:`)).length}`),
    });
    await next.start();
    await waits(() => expect(handled.toSorted()).toEqual(['1:1', '1:2', '2:3']));
    expect(handled.indexOf('1:1')).toBeLessThan(handled.indexOf('1:2'));
    expect(events).toEqual(['queue 1 after 0', 'queue 2 after 0']);
    const [first, second] = await rows();
    expect([first?.attempts, second?.attempts]).toEqual([1, 0]);
  });

  it('counts no attempt for updates that had not begun when a process died, however often it dies', async () => {
    await crashIn([update(1), update(2)], 60_000);
    for (let crash = 1; crash <= 4; crash++) {
      const takenOver: number[] = [];
      const clock = createSuspendableClock();
      const onTakenOver = (chatQueue: number) => {
        takenOver.push(chatQueue);
        return new Promise<void>(() => {});
      };
      const dead = createProcess([], { isOnlyProcess: true, onTakenOver }, clock);
      await dead.start();
      await waits(() => expect(takenOver).toEqual([1]));
      clock.suspend();
      open = open.filter((inbox) => inbox !== dead);
    }
    expect((await rows()).map(({ attempts }) => attempts)).toEqual([0, 0]);
    const handled: string[] = [];
    await createProcess(handled, { isOnlyProcess: true }).start();
    await waits(() => expect(handled).toEqual(['1:1', '1:2']));
  });

  it('sets aside an update that kills the process repeatedly, and no update that ran at the same time', async () => {
    await createProcess([]).accept([update(1), update(2), update(3, 2), update(4, 3)]);
    // The first crash is not attributed to an update; then the update is started three more times.
    for (let crash = 0; crash <= 3; crash++) {
      const began: string[] = [];
      const clock = createSuspendableClock();
      const handle = (payload: unknown) => {
        began.push(String(payload));
        return payload === '1:1' ? new Promise<void>(() => {}) : Promise.resolve();
      };
      const dead = createProcess([], { isOnlyProcess: true, maxConcurrent: 1, handle }, clock);
      await dead.start();
      await waits(() => expect(began).toContain('1:1'));
      clock.suspend();
      open = open.filter((inbox) => inbox !== dead);
    }
    const handled: string[] = [];
    await createProcess(handled, { isOnlyProcess: true }).start();
    await waits(() => expect(handled.toSorted()).toEqual(['1:2', '2:3', '3:4']));
    const [poison, ...others] = await rows();
    expect(poison).toMatchObject({ attempts: 3, lastError: 'the process ended while it was handled' });
    expect(others.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  });

  it('shares chat queues among processes: each update is handled once, in order, by the owner of the queue', async () => {
    const handled: string[] = [];
    const busy = new Set<string>();
    const work = async (payload: unknown) => {
      const chatQueue = String(payload).split(':')[0] ?? '';
      expect(busy.has(chatQueue)).toBe(false);
      busy.add(chatQueue);
      await new Promise((resolve) => setTimeout(resolve, 1));
      handled.push(String(payload));
      busy.delete(chatQueue);
    };
    const processes = [1, 2, 3].map(() => createProcess([], { handle: work }));
    await Promise.all(processes.map((inbox) => inbox.start()));
    const all = many(150, (id) => id % 7);
    await Promise.all(all.map((one, at) => (processes[at % 3] ?? expect.fail('there are three')).accept([one])));
    await waits(() => expect(handled).toHaveLength(150));
    expect(new Set(handled).size).toBe(150);
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('finds updates that another process has stored for a chat queue of this process', async () => {
    const handled: string[] = [];
    let isBusy = true;
    const first = createProcess(handled, { listBusyChatQueues: () => new Set(isBusy ? [1] : []) });
    const elsewhere: string[] = [];
    const second = createProcess(elsewhere);
    await first.start();
    await first.accept([update(1)]);
    await waits(() => expect(handled).toEqual(['1:1']));
    await second.start();
    await second.accept([update(2), update(3, 2)]);
    // Nobody owns chat queue 2: the first process that sees it takes it.
    await waits(() => expect([...handled, ...elsewhere].toSorted()).toEqual(['1:1', '1:2', '2:3']));
    expect(handled).toEqual(expect.arrayContaining(['1:1', '1:2']));
    await vi.waitFor(async () => expect((await leased()).map(({ chatQueue }) => chatQueue)).toEqual([1]));
    isBusy = false;
    await vi.waitFor(async () => expect(await leased()).toEqual([]));
  });

  describe("two processes that do not poll for each other's updates", () => {
    /** Messages from the first process to the second, whose chat queues 1 to 3 are busy. */
    const setUp = async (options: Partial<InboxOptions> = {}) => {
      const told: (readonly number[])[] = [];
      const [handled, elsewhere]: [string[], string[]] = [[], []];
      const busy = new Set([1, 2, 3]);
      const second = createProcess(elsewhere, { pollMs: 60_000, listBusyChatQueues: () => busy });
      const notifyOthers = async (chatQueues: readonly number[]) => {
        told.push(chatQueues);
        second.wake(chatQueues);
      };
      const first = createProcess(handled, { pollMs: 60_000, notifyOthers, ...options });
      await second.start();
      await second.accept([update(1), update(2, 2), update(3, 3)]);
      await waits(() => expect(elsewhere).toHaveLength(3));
      await first.start();
      return { first, handled, elsewhere, told };
    };

    it("notify each other of updates in the other's chat queues, and of nothing else", async () => {
      const { first, handled, elsewhere, told } = await setUp();
      await first.accept([update(4), update(5, 2), update(6, 4)]);
      await waits(() => expect(elsewhere.slice(3).toSorted()).toEqual(['1:4', '2:5']));
      await waits(() => expect(handled).toEqual(['4:6']));
      expect(told.flat().toSorted()).toEqual([1, 2]);
    });

    it('notify each other also when all workers are busy', async () => {
      const gate = Promise.withResolvers<void>();
      const { first, elsewhere } = await setUp({ maxConcurrent: 1, handle: () => gate.promise });
      await first.accept([update(4, 4)]);
      await first.accept([update(5)]);
      await waits(() => expect(elsewhere).toContain('1:5'));
      gate.resolve();
    });

    it('do not forward notifications', async () => {
      const { first, handled, elsewhere, told } = await setUp();
      await createProcess([]).accept([update(4)]);
      first.wake([1]);
      await first.accept([update(5, 4)]);
      await waits(() => expect(handled).toEqual(['4:5']));
      expect([told, elsewhere.length]).toEqual([[], 3]);
    });
  });

  it('each process knows how many processes own chat queues', async () => {
    const busy = new Set<number>();
    const counts: number[] = [];
    const working = createProcess([], { listBusyChatQueues: () => busy });
    const counting = createProcess([], { onWorkersCounted: (count) => void counts.push(count) });
    const [idle, stranger] = [
      createProcess([]),
      createProcess([], { botId: botId + 500, listBusyChatQueues: () => busy }),
    ];
    await crashIn([update(1)], 60_000);
    for (const inbox of [working, counting, idle, stranger]) await inbox.start();
    await waits(() => expect(counts.at(-1)).toBe(2));
    busy.add(2);
    await stranger.accept([update(2, 2)]);
    let updateId = 2;
    await waits(async () => {
      // A process that polls at that moment may take the chat queue first, and releases it again.
      await working.accept([update(updateId++, 2)]);
      expect(counts.at(-1)).toBe(3);
    });
    await endLease(1);
    busy.clear();
    await waits(() => expect(counts.at(-1)).toBe(1));
  });

  it('takes over chat queues of a dead process after its lease, and none of a living one', async () => {
    const events: string[] = [];
    await crashIn([update(1), update(2)], 60_000);
    const living = createProcess([], { leaseMs: 3000, pollMs: 60_000, listBusyChatQueues: () => new Set([5]) });
    await living.start();
    await living.accept([update(9, 5)]);
    const next = createProcess(events, { onTakenOver: async (chatQueue) => void events.push(`queue ${chatQueue}`) });
    await next.start();
    expect(await next.accept([update(3)])).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(events).toEqual([]);
    const livesUntil = await aliveUntil(5);
    await vi.waitFor(async () => expect(await aliveUntil(5)).toBeGreaterThan(livesUntil));
    await endLease(1);
    await waits(() => expect(events).toEqual(['queue 1', '1:1', '1:2', '1:3']));
    expect((await leased()).map(({ chatQueue }) => chatQueue)).toContain(5);
  });

  it('takes over each chat queue once when several processes find a dead one at the same time', async () => {
    const chatQueues = Array.from({ length: 40 }, (_, at) => at + 1);
    await crashIn(
      chatQueues.map((chatQueue) => update(chatQueue, chatQueue)),
      60_000,
    );
    await endLease(1);
    const takenOver: number[] = [];
    const next = chatQueues
      .slice(0, 4)
      .map(() => createProcess([], { onTakenOver: async (chatQueue) => void takenOver.push(chatQueue) }));
    await Promise.all(next.map((inbox) => inbox.start()));
    await waits(() => expect(new Set(takenOver).size).toBe(40));
    await vi.waitFor(async () => expect((await rows()).every((row) => row.handledAt !== null)).toBe(true));
    expect(takenOver.toSorted((a, b) => a - b)).toEqual(chatQueues);
  });

  it('leaves updates that an ending process has not started to the next process', async () => {
    await crashIn([update(1)], 60_000);
    await endLease(1);
    const began: number[] = [];
    const ending = createProcess([], {
      onTakenOver: (chatQueue, signal) => {
        began.push(chatQueue);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    await ending.start();
    await waits(() => expect(began).toEqual([1]));
    await end(ending);
    const takenOver: number[] = [];
    await createProcess([], { onTakenOver: async (chatQueue) => void takenOver.push(chatQueue) }).start();
    await waits(() => expect(takenOver).toEqual([1]));
  });

  it('does not touch chat queues that were taken over while the process was suspended longer than its lease', async () => {
    const clock = createSuspendableClock();
    const gate = Promise.withResolvers<void>();
    const [late, handled]: [string[], string[]] = [[], []];
    const lost: number[] = [];
    const suspended = createProcess(
      [],
      {
        leaseMs: 2000,
        onLost: (chatQueue) => void lost.push(chatQueue),
        handle: async (payload) => {
          late.push(String(payload));
          await gate.promise;
        },
      },
      clock,
    );
    await suspended.start();
    await suspended.accept([update(1), update(2)]);
    await waits(() => expect(late).toEqual(['1:1']));
    clock.suspend();
    await createProcess(handled).start();
    await waits(() => expect(handled).toEqual(['1:1', '1:2']));
    gate.resolve();
    clock.resume();
    await suspended.accept([update(3), update(4, 2)]);
    await waits(() => expect([...late, ...handled].toSorted()).toEqual(['1:1', '1:1', '1:2', '1:3', '2:4']));
    expect(lost).toEqual([1]);
    await vi.waitFor(async () => expect((await rows()).every((row) => row.handledAt !== null)).toBe(true));
  });

  describe('a process whose clock stands still', () => {
    /** @param disturb wraps the process's access to the database. */
    const createStill = async (
      handled: string[],
      disturb: (db: Database) => Database,
      options: Partial<InboxOptions> = {},
    ) => {
      const busy = createBusyDatabase(database.db);
      const clock = createFakeClock(Date.now(), busy.waitForWork);
      const chatLeases = new ChatLeases();
      const inbox = createInbox(
        { db: disturb(busy.db), urgentDb: database.db, clock, logger, chatLeases },
        {
          botId,
          isOnlyProcess: false,
          handle: async (payload) => {
            chatLeases.throwIfLost();
            handled.push(String(payload));
          },
          onTakenOver: async (chatQueue) => void handled.push(`queue ${chatQueue}`),
          listBusyChatQueues: () => new Set(),
          pollMs: 3_600_000,
          ...options,
        },
      );
      open.push(inbox);
      return { inbox, clock };
    };

    it('owns a chat queue even when the answer to its claim is lost', async () => {
      const handled: string[] = [];
      const { inbox, clock } = await createStill(handled, (db) => loseAnswer(db, 'insert'));
      await inbox.start();
      await inbox.accept([update(1)]);
      await clock.advance(2000);
      expect(handled).toEqual(['1:1']);
    });

    it('leaves a chat queue to others when the answer to its release is lost', async () => {
      const [handled, elsewhere]: [string[], string[]] = [[], []];
      const { inbox, clock } = await createStill(handled, (db) => loseAnswer(db, 'delete'));
      await inbox.start();
      await inbox.accept([update(1)]);
      await waits(() => expect(handled).toEqual(['1:1']));
      await vi.waitFor(async () => expect(await leased()).toEqual([]));
      const gate = Promise.withResolvers<void>();
      const other = createProcess([], {
        handle: async (payload) => {
          elsewhere.push(String(payload));
          await gate.promise;
        },
      });
      await other.start();
      await other.accept([update(2)]);
      await waits(() => expect(elsewhere).toEqual(['1:2']));
      await clock.advance(3000);
      expect(handled).toEqual(['1:1']);
      gate.resolve();
    });

    it('keeps a chat queue that it has claimed again when a lost release comes late', async () => {
      const began: string[] = [];
      const gate = Promise.withResolvers<void>();
      const lost: (() => Promise<unknown>)[] = [];
      const { inbox } = await createStill(began, (db) => loseRelease(db, lost), {
        handle: async (payload) => {
          began.push(String(payload));
          if (payload === '1:2') await gate.promise;
        },
      });
      await inbox.start();
      await inbox.accept([update(1)]);
      await waits(() => expect(lost).toHaveLength(1));
      const owners = await leased();
      await inbox.accept([update(2)]);
      await waits(() => expect(began).toEqual(['1:1', '1:2']));
      for (const release of lost) await release();
      const left = await leased();
      gate.resolve();
      expect(left).toEqual(owners);
      await vi.waitFor(async () => expect(await leased()).toEqual([]));
    });

    it('takes over chat queues of a dead process even when the answer to the takeover is lost', async () => {
      await crashIn([update(1)], 300);
      await new Promise((resolve) => setTimeout(resolve, 400));
      const handled: string[] = [];
      const { inbox, clock } = await createStill(handled, (db) => loseAnswer(db, 'transaction'));
      await inbox.start();
      await clock.advance(2000);
      expect(handled).toEqual(['queue 1', '1:1']);
    });

    it('works on a chat queue whose takeover was confirmed after its lease had expired', async () => {
      await crashIn([update(1)], 60_000);
      await endLease(1);
      const handled: string[] = [];
      const confirmation = Promise.withResolvers<void>();
      let renewal: Promise<void> | undefined;
      const isBeat = (table: unknown) => table === updateWorkers;
      const slow = (db: Database) =>
        delay(
          delay(db, 'insert', isBeat, () => renewal),
          'transaction',
          () => true,
          () => confirmation.promise,
        );
      const { inbox, clock } = await createStill(handled, slow, { leaseMs: 3000 });
      await inbox.start();
      const answer = Promise.withResolvers<void>();
      renewal = answer.promise;
      await clock.advance(1000);
      await clock.advance(2500);
      answer.resolve();
      await clock.advance(0);
      confirmation.resolve();
      await clock.advance(0);
      expect(handled).toEqual(['queue 1', '1:1']);
    });

    it('abandons its own work on a chat queue that it takes over again before it has noticed the loss', async () => {
      const [began, lost]: [string[], number[]] = [[], []];
      const gate = Promise.withResolvers<void>();
      const { inbox, clock } = await createStill(began, (db) => db, {
        pollMs: 1000,
        onLost: (chatQueue) => void lost.push(chatQueue),
        handle: async (payload) => {
          began.push(String(payload));
          await gate.promise;
        },
      });
      await inbox.start();
      await inbox.accept([update(1)]);
      await waits(() => expect(began).toEqual(['1:1']));
      const workerId = `a dead one ${botId}`;
      await database.db.update(chatQueueOwners).set({ workerId }).where(eq(chatQueueOwners.botId, botId));
      await clock.advance(1000);
      gate.resolve();
      expect({ lost, began }).toEqual({ lost: [1], began: ['1:1', 'queue 1', '1:1'] });
    });

    it('keeps a chat queue that it has claimed since it was listed as one of a dead process', async () => {
      const [began, lost]: [string[], number[]] = [[], []];
      const [recovery, handling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const workerId = `a dead one ${botId}`;
      await database.db.insert(chatQueueOwners).values([1, 2].map((chatQueue) => ({ botId, chatQueue, workerId })));
      const { inbox, clock } = await createStill(began, (db) => db, {
        onLost: (chatQueue) => void lost.push(chatQueue),
        onTakenOver: async (chatQueue) => {
          began.push(`queue ${chatQueue}`);
          await recovery.promise;
        },
        handle: async (payload) => {
          began.push(String(payload));
          await handling.promise;
        },
      });
      await inbox.start();
      await waits(() => expect(began).toEqual(['queue 1']));
      // Another process has taken it over, worked on it and released it.
      await database.db
        .delete(chatQueueOwners)
        .where(and(eq(chatQueueOwners.botId, botId), eq(chatQueueOwners.chatQueue, 2)));
      await inbox.accept([update(1, 2)]);
      await waits(() => expect(began).toEqual(['queue 1', '2:1']));
      recovery.resolve();
      await clock.advance(0);
      handling.resolve();
      await clock.advance(0);
      expect({ lost, began }).toEqual({ lost: [], began: ['queue 1', '2:1'] });
    });

    it('does not repeat an update whose handling fails when its chat queue is lost', async () => {
      const [began, lost]: [string[], number[]] = [[], []];
      const gate = Promise.withResolvers<void>();
      const { inbox, clock } = await createStill(began, (db) => db, {
        onLost: (chatQueue) => void lost.push(chatQueue),
        handle: async (payload) => {
          began.push(String(payload));
          await gate.promise;
          throw new Error('a bug');
        },
      });
      await inbox.start();
      await inbox.accept([update(1)]);
      await waits(() => expect(began).toEqual(['1:1']));
      const workerId = `another ${botId}`;
      await database.db.update(chatQueueOwners).set({ workerId }).where(eq(chatQueueOwners.botId, botId));
      gate.resolve();
      await clock.advance(3000);
      expect({ lost, began }).toEqual({ lost: [1], began: ['1:1'] });
    });

    it.each([
      ['still waits', {}],
      ['is done', { handledAt: sql`now()`, payload: null }],
    ])('counts no attempt at an update that %s when its chat queue is lost before the attempt', async (_, state) => {
      const [began, lost]: [string[], number[]] = [[], []];
      const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await database.db.insert(chatQueueOwners).values({ botId, chatQueue: 1, workerId: `a dead one ${botId}` });
      const isAttempt = (table: unknown) => table === updates;
      const untilAnswered = () => {
        asked.resolve();
        return answer.promise;
      };
      const { inbox, clock } = await createStill(began, (db) => delay(db, 'update', isAttempt, untilAnswered), {
        onLost: (chatQueue) => void lost.push(chatQueue),
        handle: async (payload) => void began.push(String(payload)),
      });
      await inbox.accept([update(1)]);
      await inbox.start();
      await asked.promise;
      const workerId = `another ${botId}`;
      await database.db.update(chatQueueOwners).set({ workerId }).where(eq(chatQueueOwners.botId, botId));
      const changed = { chatQueue: 1, ...state };
      await database.db.update(updates).set(changed).where(eq(updates.botId, botId));
      answer.resolve();
      await clock.advance(3000);
      expect({ lost, began }).toEqual({ lost: [1], began: ['queue 1'] });
      expect((await rows()).map(({ attempts }) => attempts)).toEqual([0]);
      expect(lines).toEqual([expect.stringContaining('another process has taken over a chat queue')]);
    });

    it('waits for the first recovery that takes long, and shortly for the further ones', async () => {
      const workerId = `a dead one ${botId}`;
      const chatQueues = [1, 2, 3, 4, 5, 6, 7, 8];
      await database.db.insert(chatQueueOwners).values(chatQueues.map((chatQueue) => ({ botId, chatQueue, workerId })));
      const began: number[] = [];
      const { inbox, clock } = await createStill([], (db) => db, {
        onTakenOver: (chatQueue, signal) => {
          began.push(chatQueue);
          if (chatQueue < 3) return Promise.resolve();
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      });
      await inbox.start();
      await clock.advance(4999);
      expect(began).toEqual([1, 2, 3]);
      await clock.advance(1);
      expect(began).toEqual([1, 2, 3, 4]);
      await clock.advance(199);
      expect(began).toEqual([1, 2, 3, 4]);
      await clock.advance(1);
      expect(began).toEqual([1, 2, 3, 4, 5]);
      await clock.advance(3 * 200);
      expect(began).toEqual(chatQueues);
    });

    it('checks which chat queues it still owns when its lease expired before the renewal was confirmed', async () => {
      const [began, lost]: [string[], number[]] = [[], []];
      const gate = Promise.withResolvers<void>();
      let renewal: Promise<void> | undefined;
      const isBeat = (table: unknown) => table === updateWorkers;
      const { inbox, clock } = await createStill([], (db) => delay(db, 'insert', isBeat, () => renewal), {
        leaseMs: 3000,
        onLost: (chatQueue) => void lost.push(chatQueue),
        handle: async (payload) => {
          began.push(String(payload));
          await gate.promise;
        },
      });
      await inbox.start();
      await inbox.accept([update(1), update(2)]);
      await waits(() => expect(began).toEqual(['1:1']));
      const answer = Promise.withResolvers<void>();
      renewal = answer.promise;
      await clock.advance(1000);
      await clock.advance(2500);
      const workerId = `another ${botId}`;
      await database.db.insert(updateWorkers).values({ id: workerId, aliveUntil: new Date(Date.now() + 3_600_000) });
      await database.db.update(chatQueueOwners).set({ workerId }).where(eq(chatQueueOwners.botId, botId));
      answer.resolve();
      await clock.advance(0);
      gate.resolve();
      await clock.advance(0);
      expect({ lost, began }).toEqual({ lost: [1], began: ['1:1'] });
    });
  });

  it('the next process takes over the messages that an orderly shutdown left undelivered', async () => {
    const ending = createProcess([], { listBusyChatQueues: () => new Set([1]) });
    await ending.start();
    await ending.accept([update(1), update(2, 2)]);
    await vi.waitFor(async () => expect((await rows()).every((row) => row.handledAt !== null)).toBe(true));
    await end(ending);
    const takenOver: number[] = [];
    await createProcess([], { onTakenOver: async (chatQueue) => void takenOver.push(chatQueue) }).start();
    await waits(() => expect(takenOver).toEqual([1]));
  });

  it('an orderly shutdown lets running handlers end and leaves the rest to the next process', async () => {
    const handled: string[] = [];
    const began: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const ending = createProcess(handled, {
      handle: async (payload) => {
        began.push(payload);
        await gate.promise;
        handled.push(String(payload));
      },
    });
    await ending.start();
    await ending.accept([update(1), update(2)]);
    await waits(() => expect(began).toEqual(['1:1']));
    const draining = ending.drain(5000);
    gate.resolve();
    expect(await draining).toBe(0);
    expect(handled).toEqual(['1:1']);
    await ending.close();
    await createProcess(handled).start();
    await waits(() => expect(handled).toEqual(['1:1', '1:2']));
    expect((await rows()).map(({ attempts }) => attempts)).toEqual([0, 0]);
  });

  it('ignores other bots on the same database', async () => {
    const handled: string[] = [];
    await createProcess(handled, { botId: botId + 500 }).accept([update(1)]);
    const inbox = createProcess(handled);
    await inbox.start();
    await inbox.accept([update(1, 2)]);
    await waits(() => expect(handled).toEqual(['2:1']));
  });

  it('deletes handled updates when Telegram can not repeat them any more', async () => {
    const inbox = createProcess([]);
    await inbox.start();
    await inbox.accept(many(2));
    await vi.waitFor(async () => expect((await rows()).every((row) => row.handledAt !== null)).toBe(true));
    await end(inbox);
    await database.db
      .update(updates)
      .set({ receivedAt: sql`now() - interval '26 hours'`, handledAt: sql`now() - interval '26 hours'` })
      .where(and(eq(updates.botId, botId), eq(updates.updateId, 1)));
    await createProcess([]).start();
    await vi.waitFor(async () => expect((await rows()).map(({ updateId }) => updateId)).toEqual([2]));
  });

  it('shows the updates that wait behind the running one', async () => {
    const seen: (readonly unknown[])[] = [];
    const inbox = createProcess([], {
      handle: async (_payload, { listFollowing }) => void seen.push(await listFollowing()),
    });
    await inbox.accept([update(1), update(2), update(3), update(4, 2)]);
    await inbox.start();
    await waits(() => expect(seen).toHaveLength(4));
    expect(seen).toEqual(expect.arrayContaining([['1:2', '1:3'], ['1:3'], [], []]));
  });
});

type Change = 'insert' | 'update' | 'delete' | 'transaction';

/** The same database, with transactions, or changes to some tables, intercepted. */
function changeBy(db: Database, kind: Change, isMeant: (table: unknown) => boolean, other: object): Database {
  return new Proxy(db, {
    get(_db, name) {
      const value: unknown = Reflect.get(db, name, db);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        Reflect.apply(name === kind && isMeant(args[0]) ? Reflect.get(other, kind) : value, db, args);
    },
  });
}

/** Makes the first change of this kind to the chat queues, or the first transaction, and loses its answer. */
function loseAnswer(db: Database, kind: Change): Database {
  let isLost = false;
  const losing = watchDatabase(db, async (moment) => {
    if (moment === 'after') throw new Error('the connection is lost');
  });
  const isFirst = (table: unknown) => {
    if ((kind !== 'transaction' && table !== chatQueueOwners) || isLost) return false;
    isLost = true;
    return true;
  };
  return changeBy(db, kind, isFirst, losing);
}

/** Fails the first release of chat queues, and adds to `lost` what the server would do with it later. */
function loseRelease(db: Database, lost: (() => Promise<unknown>)[]): Database {
  const lose = (table: typeof chatQueueOwners) => ({
    where: async (condition: SQL) => {
      lost.push(async () => db.delete(table).where(condition));
      throw new Error('the connection is lost');
    },
  });
  const isFirst = (table: unknown) => table === chatQueueOwners && lost.length === 0;
  return changeBy(db, 'delete', isFirst, { delete: lose });
}

/** Waits for the given promise before it makes such a change. */
function delay(
  db: Database,
  kind: Change,
  isMeant: (table: unknown) => boolean,
  until: () => Promise<void> | undefined,
): Database {
  const slow = watchDatabase(db, async (moment) => {
    if (moment === 'before') await until();
  });
  return changeBy(db, kind, isMeant, slow);
}

/** The machine's clock for a process that can be suspended and resumed. While it is suspended, none of its timers fires. */
function createSuspendableClock(): Clock & { suspend(): void; resume(): void } {
  let isSuspended = false;
  const due = new Set<() => void>();
  return {
    now: () => systemClock.now(),
    setTimer(delayMs, callback) {
      const fire = () => (isSuspended ? void due.add(fire) : callback());
      const cancel = systemClock.setTimer(delayMs, fire);
      return () => {
        cancel();
        due.delete(fire);
      };
    },
    suspend() {
      isSuspended = true;
    },
    resume() {
      isSuspended = false;
      for (const fire of [...due]) fire();
      due.clear();
    },
  };
}
