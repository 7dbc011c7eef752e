import { setTimeout as sleep } from 'node:timers/promises';
import { count } from 'drizzle-orm';
import type { Control } from 'telegram-bot-simulator';
import { expect, vi } from 'vitest';
import { createTasks, type Task } from '../../../src/core/tasks/index.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../../src/database/connect.ts';
import { taskRuns, users as userTable } from '../../../src/database/schema/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isJsonObject } from '../../../src/lib/json/json.ts';
import { answerHello, type Behaviour } from '../hosts/fake-provider.ts';
import type { StormPlace, Work } from './storm.ts';

interface ScheduledTask {
  readonly chatId: number;
  /** Name in its text, and in that of its answer. */
  readonly name: string;
  readonly kind: Task['kind'];
}

/** Time from the making of tasks until they are due. */
const DUE_AFTER_MS = 1500;
/** The same for an embedded database, whose process starts meanwhile. */
const DUE_AFTER_START_MS = 4500;
/** Longer than the interval in which the ledger notices that an answer has ended. */
const LEDGER_MS = 10_000;

/**
 * Creates tasks that are due once: each sends its message exactly once, and its run is done. If they are made while the process
 * is down, it is killed and started for that, because its embedded database can't be opened twice.
 */
export async function createTaskRuns({ stage, database }: StormPlace, { isDown = false } = {}): Promise<Work> {
  stage.provider.behaveUsually(answerTasks());
  const users = createTaskUsers(stage.telegram.control, database.db);
  if (!isDown) await users.slowDown();
  const expectDone = async () => {
    await vi.waitFor(async () => expect(await users.countRuns()).toEqual({ done: users.taskCount }));
    expect(users.findComplaints()).toEqual([]);
  };
  return {
    leadMs: isDown ? DUE_AFTER_START_MS - DUE_AFTER_MS : DUE_AFTER_MS,
    async begin() {
      if (!isDown) return users.schedule(DUE_AFTER_MS);
      await stage.service.kill();
      await users.useDatabase(database.config, () => users.schedule(DUE_AFTER_START_MS));
      await stage.start();
    },
    hasBegun: () => users.countBegun() > 0,
    findComplaints: users.findComplaints,
    async end() {
      if (!isDown) return expectDone();
      await sleep(LEDGER_MS);
      await stage.service.stop();
      await users.useDatabase(database.config, expectDone);
    },
  };
}

function createTaskUsers(control: Control, database: Database) {
  const scheduled: ScheduledTask[] = [];
  const chats: { readonly chatId: number; readonly userId: number }[] = [];
  let db = database;

  const listSaid = (chatId: number): readonly string[] =>
    control.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message.text ?? ''] : []));
  const join = async () => {
    const chatId = control.createChat({ type: 'private', person: { firstName: `Person ${chats.length}` } }).id;
    const [row] = await db.insert(userTable).values({ telegramId: chatId }).returning();
    const chat = { chatId, userId: row?.id ?? 0 };
    chats.push(chat);
    return chat;
  };
  const add = async ({ chatId, userId }: (typeof chats)[number], kind: Task['kind'], at: Date) => {
    const readLimits = async () => ({ active: 10_000, shortestIntervalMs: 0 });
    // On a busy machine a task may be due before it is stored.
    const clock = { ...systemClock, now: () => at.getTime() - 1 };
    const tasks = createTasks({ db, clock, readLimits });
    const name = `task-${scheduled.length}-end`;
    const times = { kind: 'once', at, timeZone: 'UTC' } as const;
    const content = { kind, prompt: `This is ${name}`, times, quietWhenNothingNew: false };
    const made = await tasks.create({ userId, groupId: undefined }, content);
    if (!('id' in made)) throw new Error(`a task could not be made: ${made.kind}`);
    scheduled.push({ chatId, name, kind });
  };
  const complain = ({ chatId, name, kind }: ScheduledTask): string[] => {
    const own = listSaid(chatId).filter((text) => text.includes(name));
    const whole = kind === 'reminder' ? `This is ${name}` : listPieces(name).join('').trim();
    const isRight = own.length === 1 && own[0]?.includes(whole);
    return isRight
      ? []
      : [`${kind} ${name} in chat ${chatId}: ${JSON.stringify(own.map((text) => text.slice(0, 60)))}`];
  };

  return {
    get taskCount() {
      return scheduled.length;
    },
    /**
     * Makes two questions and a reminder of each of three new users, and another reminder of the first
     * user, due within a second after this time.
     */
    async schedule(dueAfterMs: number) {
      const dueAt = Date.now() + dueAfterMs;
      const joined = [await join(), await join(), await join()];
      for (const [number, chat] of joined.entries())
        for (const [at, kind] of (['question', 'reminder', 'question'] as const).entries())
          await add(chat, kind, new Date(dueAt + 200 * number + 200 * at));
      await add(chats[0] ?? (await join()), 'reminder', new Date(dueAt));
    },
    /**
     * Returns errors. Empty if each task has exactly one message, which is complete, and the bot has sent
     * no others.
     */
    findComplaints(): string[] {
      const isOfTask = (text: string) => scheduled.some(({ name }) => text.includes(name));
      const others = chats.flatMap(({ chatId }) => listSaid(chatId).filter((text) => !isOfTask(text)));
      return [...scheduled.flatMap(complain), ...others.map((text) => `another message: ${text}`)];
    },
    /** Returns the number of tasks with a message, which may be incomplete. */
    countBegun: () =>
      scheduled.filter(({ chatId, name }) => listSaid(chatId).some((text) => text.includes(name))).length,
    /** Counts the runs in the ledger by state. */
    async countRuns(): Promise<Readonly<Record<string, number>>> {
      const rows = await db.select({ state: taskRuns.state, runs: count() }).from(taskRuns).groupBy(taskRuns.state);
      return Object.fromEntries(rows.map(({ state, runs }) => [state, runs]));
    },
    /** Makes each statement of a run take up to 400 ms, so that kills hit the time between any two of them. */
    async slowDown() {
      await db.execute(`create function be_slow() returns trigger language plpgsql as
        $$ begin perform pg_sleep(random() * 0.4); return new; end $$`);
      for (const table of ['task_runs', 'updates', 'messages', 'planned_sends', 'deliveries'])
        await db.execute(
          `create trigger be_slow before insert or update on ${table} for each row execute function be_slow()`,
        );
    },
    /** Opens an embedded database for the duration of `work`, while no process uses it. */
    async useDatabase(config: DatabaseConfig, work: () => Promise<void>) {
      const connection = await openDatabase(config);
      db = connection.db;
      await work().finally(() => connection.close());
    },
  };
}

/** Streams the answers to questions of tasks within a second. */
function answerTasks(): Behaviour {
  return (exchange) => {
    const { messages } = exchange.request.body;
    const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
    const name = /task-\d+-end/.exec(JSON.stringify(isJsonObject(last) ? last['content'] : ''))?.[0] ?? 'unknown';
    return answerHello({ pieces: listPieces(name), everyMs: 70 })(exchange);
  };
}

const SENTENCES = 14;

function listPieces(name: string): string[] {
  return Array.from({ length: SENTENCES }, (_, at) => `Sentence ${at} about ${name}. `);
}
