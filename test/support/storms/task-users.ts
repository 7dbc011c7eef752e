import { count } from 'drizzle-orm';
import type { Control } from 'telegram-bot-simulator';
import { createTasks, type Task } from '../../../src/core/tasks/index.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../../src/database/connect.ts';
import { taskRuns, users as userTable } from '../../../src/database/schema/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { answerHello, type Behaviour } from '../hosts/fake-provider.ts';

/** Simulated users with tasks that are due once, and a check that each task has sent its message exactly once. */
export interface TaskUsers {
  readonly taskCount: number;
  /**
   * Makes two questions and a reminder of each of three new users, and another reminder of the first user, due within a
   * second after this time.
   */
  schedule(dueAfterMs: number): Promise<void>;
  /** Returns errors. Empty if each task has exactly one message, which is complete, and the bot has sent no others. */
  findComplaints(): string[];
  /** Returns the number of tasks with a message, which may be incomplete. */
  countBegun(): number;
  /** Counts the runs in the ledger by state. */
  countRuns(): Promise<Readonly<Record<string, number>>>;
  /** Makes each statement of a run take up to 400 ms, so that kills hit the time between any two of them. */
  slowDown(): Promise<void>;
  /** Opens an embedded database for the duration of `work`, while no process uses it. */
  useDatabase(config: DatabaseConfig, work: () => Promise<void>): Promise<void>;
}

interface ScheduledTask {
  readonly chatId: number;
  /** Name in its text, and in that of its answer. */
  readonly name: string;
  readonly kind: Task['kind'];
}

const SENTENCES = 14;

/** Streams the answers to questions of tasks within a second. */
export function answerTasks(): Behaviour {
  return (exchange) => {
    const { messages } = exchange.request.body;
    const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
    const name = /task-\d+-end/.exec(JSON.stringify(isJsonObject(last) ? last['content'] : ''))?.[0] ?? 'unknown';
    return answerHello({ pieces: listPieces(name), everyMs: 70 })(exchange);
  };
}

/** @param control of the simulator that the users live in */
export function createTaskUsers(control: Control, database: Database): TaskUsers {
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
    async schedule(dueAfterMs) {
      const dueAt = Date.now() + dueAfterMs;
      const joined = [await join(), await join(), await join()];
      for (const [number, chat] of joined.entries())
        for (const [at, kind] of (['question', 'reminder', 'question'] as const).entries())
          await add(chat, kind, new Date(dueAt + 200 * number + 200 * at));
      await add(chats[0] ?? (await join()), 'reminder', new Date(dueAt));
    },
    findComplaints() {
      const isOfTask = (text: string) => scheduled.some(({ name }) => text.includes(name));
      const others = chats.flatMap(({ chatId }) => listSaid(chatId).filter((text) => !isOfTask(text)));
      return [...scheduled.flatMap(complain), ...others.map((text) => `another message: ${text}`)];
    },
    countBegun: () =>
      scheduled.filter(({ chatId, name }) => listSaid(chatId).some((text) => text.includes(name))).length,
    async countRuns() {
      const rows = await db.select({ state: taskRuns.state, runs: count() }).from(taskRuns).groupBy(taskRuns.state);
      return Object.fromEntries(rows.map(({ state, runs }) => [state, runs]));
    },
    async slowDown() {
      await db.execute(`create function be_slow() returns trigger language plpgsql as
        $$ begin perform pg_sleep(random() * 0.4); return new; end $$`);
      for (const table of ['task_runs', 'updates', 'messages', 'planned_sends', 'deliveries'])
        await db.execute(
          `create trigger be_slow before insert or update on ${table} for each row execute function be_slow()`,
        );
    },
    async useDatabase(config, work) {
      const connection = await openDatabase(config);
      db = connection.db;
      await work().finally(() => connection.close());
    },
  };
}

function listPieces(name: string): string[] {
  return Array.from({ length: SENTENCES }, (_, at) => `Sentence ${at} about ${name}. `);
}
