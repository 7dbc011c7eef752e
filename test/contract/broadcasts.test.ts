import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createAccounts } from '../../src/core/accounts/index.ts';
import {
  type Broadcast,
  type Broadcasts,
  createBroadcastSender,
  createBroadcasts,
  type SendOutcome,
} from '../../src/core/broadcasts/index.ts';
import { broadcasts as announcementTable, bans, broadcastRecipients, users } from '../../src/database/schema/index.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const CHIEF = 1000;
/** One second between two sends takes 10 real milliseconds. */
const clock = createFastClock(100);

describeOnEveryDatabase('broadcasts', (createDatabase) => {
  let database: TestDatabase;
  let broadcasts: Broadcasts;
  let lastSource = 0;
  const { logger } = createRecordingLogger();
  beforeAll(async () => {
    database = await createDatabase();
    broadcasts = createBroadcasts({ db: database.db, clock });
  });
  beforeEach(async () => {
    for (const table of [announcementTable, users, bans]) await database.db.delete(table);
    await join(CHIEF);
  });
  afterAll(() => database.close());

  const accounts = () => createAccounts({ db: database.db, clock, adminIds: [CHIEF] });
  const join = async (...telegramIds: readonly number[]) => {
    for (const id of telegramIds) await accounts().ensureTelegramUser(id);
  };
  const many = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const toSaveOptions = (sourceMessageId = ++lastSource) => ({
    adminTelegramId: CHIEF,
    sourceMessageId,
    statusMessageId: sourceMessageId + 1,
    language: 'en',
    intervalMs: 1000,
  });
  const begin = async () => {
    const order = toSaveOptions();
    expect(await broadcasts.start(order)).toBe('started');
    const begun = await broadcasts.findBySource(CHIEF, order.sourceMessageId);
    if (!begun) throw new Error('the announcement is not there');
    return begun;
  };
  const waits = (check: () => void | Promise<void>) => vi.waitFor(check);
  const find = async ({ id }: Broadcast) => {
    const found = await broadcasts.find(id);
    if (!found) throw new Error('the announcement is gone');
    return found;
  };

  /** A process that sends. `deliver` decides the outcome of a send. A killed process never gets the result of its call. */
  const startProcess = (
    sent: number[],
    deliver: (telegramId: number) => Promise<SendOutcome> | SendOutcome = () => ({ kind: 'sent' }),
  ) => {
    const ending = new AbortController();
    const reports: Broadcast[] = [];
    const sender = createBroadcastSender({
      broadcasts,
      clock,
      logger,
      transport: {
        async deliver(_announcement, { telegramId }) {
          sent.push(telegramId);
          return deliver(telegramId);
        },
        async report(broadcast) {
          reports.push(broadcast);
          return true;
        },
      },
    });
    const running = sender.run(ending.signal);
    return {
      reports,
      wake: () => sender.wake(),
      async stop() {
        ending.abort();
        await running;
      },
      kill: () => ending.abort(),
    };
  };
  const never = () => new Promise<SendOutcome>(() => {});

  it('go to all users with a chat except the admin, banned users and users who blocked the bot', async () => {
    await join(1, 2, 3, 4);
    await database.db.insert(bans).values({ telegramId: 2, reason: '' });
    await accounts().recordReachability(3, false);
    await database.db.insert(users).values({});
    expect(await broadcasts.countReachableUsers(CHIEF)).toBe(2);
    const sent: number[] = [];
    const begun = await begin();
    const sender = startProcess(sent);
    await waits(async () => expect(await find(begun)).toMatchObject({ state: 'done', hasEnded: true }));
    await sender.stop();
    expect(sent.toSorted()).toEqual([1, 4]);
    expect(await database.db.select().from(broadcastRecipients)).toEqual([]);
    expect(sender.reports.at(-1)).toMatchObject({ state: 'done', counts: { sent: 2, waiting: 0 } });
    await accounts().recordReachability(3, true);
    expect(await broadcasts.countReachableUsers(CHIEF)).toBe(3);
  });

  it('end when all recipients have the message, even with slow sends', async () => {
    await join(1);
    const order = { ...toSaveOptions(), intervalMs: 3_600_000 };
    await broadcasts.start(order);
    const sender = startProcess([]);
    const isDone = async () =>
      expect(await broadcasts.findBySource(CHIEF, order.sourceMessageId)).toMatchObject({ state: 'done' });
    await waits(isDone);
    await sender.stop();
  });

  it('start once, and one at a time', async () => {
    await join(1);
    const order = toSaveOptions();
    expect(await Promise.all([broadcasts.start(order), broadcasts.start(order)])).toEqual(
      expect.arrayContaining(['started', 'already']),
    );
    expect(await broadcasts.start(toSaveOptions())).toBe('busy');
    const sender = startProcess([]);
    await waits(async () => expect(await broadcasts.start(order)).toBe('already'));
    await waits(async () => expect(await broadcasts.start(toSaveOptions())).toBe('started'));
    await sender.stop();
  });

  it('reach each user once when two processes send at the same time', async () => {
    await join(...many(40));
    const sent: number[] = [];
    const begun = await begin();
    const processes = [startProcess(sent), startProcess(sent)];
    await waits(async () => expect((await find(begun)).hasEnded).toBe(true));
    for (const process of processes) await process.stop();
    expect(sent.toSorted((a, b) => a - b)).toEqual(many(40));
  });

  it('continue after a process is killed during a send, which is counted as unclear and not repeated', async () => {
    await join(...many(6));
    const sent: number[] = [];
    const begun = await begin();
    const first = startProcess(sent, (telegramId) => (telegramId === 3 ? never() : { kind: 'sent' }));
    await waits(() => expect(sent).toEqual([1, 2, 3]));
    first.kill();
    const second = startProcess(sent);
    await waits(async () => expect((await find(begun)).hasEnded).toBe(true));
    await second.stop();
    expect(sent).toEqual(many(6));
    expect((await find(begun)).counts).toMatchObject({ sent: 5, unclear: 1, waiting: 0 });
  });

  it('stop with the process and continue with the next one', async () => {
    await join(...many(5));
    const sent: number[] = [];
    const begun = await begin();
    const first = startProcess(sent);
    await waits(() => expect(sent.length).toBeGreaterThanOrEqual(2));
    await first.stop();
    const soFar = sent.length;
    expect((await find(begun)).counts).toMatchObject({ sent: soFar, sending: 0, unclear: 0 });
    const second = startProcess(sent);
    await waits(async () => expect((await find(begun)).counts).toMatchObject({ sent: 5 }));
    await second.stop();
    expect(sent).toEqual(many(5));
  });

  it("pause and resume at the admin's request, and are cancelled for the remaining recipients", async () => {
    await join(...many(8));
    const sent: number[] = [];
    const begun = await begin();
    const sender = startProcess(sent);
    await waits(() => expect(sent.length).toBeGreaterThanOrEqual(2));
    expect(await broadcasts.change(begun.id, 'pause', CHIEF)).toBe(true);
    expect(await broadcasts.change(begun.id, 'pause', CHIEF)).toBe(false);
    await waits(async () => expect((await find(begun)).counts.sending).toBe(0));
    const paused = sent.length;
    await waits(() => expect(sender.reports.at(-1)?.state).toBe('paused'));
    expect(sent).toHaveLength(paused);
    expect(await broadcasts.change(begun.id, 'resume', CHIEF)).toBe(true);
    sender.wake();
    await waits(() => expect(sent.length).toBeGreaterThan(paused));
    expect(await broadcasts.change(begun.id, 'cancel', CHIEF)).toBe(true);
    sender.wake();
    await waits(async () => expect(await find(begun)).toMatchObject({ state: 'cancelled', hasEnded: true }));
    await sender.stop();
    expect((await find(begun)).counts).toMatchObject({ sent: sent.length, waiting: 8 - sent.length });
    expect(await broadcasts.change(begun.id, 'resume', CHIEF)).toBe(false);
  });

  it('postpone a recipient whom Telegram asks to retry later, and record users who blocked the bot', async () => {
    await join(1, 2, 3);
    const sent: number[] = [];
    let isRefused = false;
    const begun = await begin();
    const sender = startProcess(sent, (telegramId) => {
      if (telegramId === 2) return { kind: 'blocked' };
      if (telegramId !== 1 || isRefused) return { kind: 'sent' };
      isRefused = true;
      return { kind: 'later', afterMs: 1000 };
    });
    await waits(async () => expect((await find(begun)).hasEnded).toBe(true));
    await sender.stop();
    expect(sent).toEqual([1, 2, 3, 1]);
    expect((await find(begun)).counts).toMatchObject({ sent: 2, blocked: 1 });
    expect((await accounts().findTelegramUser(2))?.isReachable).toBe(false);
    expect(await broadcasts.countReachableUsers(CHIEF)).toBe(2);
  });
});
