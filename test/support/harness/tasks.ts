import { desc, eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { taskRuns, tasks } from '../../../src/database/schema/index.ts';
import type { BotHarness } from './bot.ts';
import type { BotHarnessOptions } from './bot-services.ts';
import type { Actor } from './users.ts';

/** Options of a harness whose models can schedule tasks. */
export const TASK_TOOLS = {
  tools: { builtIn: ['schedule_task', 'list_tasks', 'cancel_task'] },
} as const satisfies BotHarnessOptions;

export type TaskHelpers = ReturnType<typeof createTaskHelpers>;

/** Creates functions that set up tasks and look at their runs. */
export function createTaskHelpers(harness: BotHarness) {
  const { db } = harness;
  const listTasks = () => db.select().from(tasks).orderBy(tasks.id);
  const listRuns = () => db.select().from(taskRuns).orderBy(taskRuns.id);
  /** Newest run of which a test knows that it has ended. */
  let endedId = 0;
  const userIdOf = async ({ id }: Pick<Actor, 'id'>) => (await harness.accounts.ensureTelegramUser(id)).id;
  return {
    listTasks,
    listRuns,
    userIdOf,
    /** Sets the time zone of a user, who is then not asked about it. */
    async meet(actor: Actor): Promise<Actor> {
      await harness.accounts.updateSettings(await userIdOf(actor), { timeZone: 'Europe/Berlin' });
      return actor;
    },
    /** Makes the newest task due now, or some time ago. */
    async makeDue(agoMs = 0): Promise<void> {
      const [task] = await db.select().from(tasks).orderBy(desc(tasks.id)).limit(1);
      const dueAt = new Date(harness.now() - agoMs);
      const once = task?.onceAt ? { onceAt: dueAt } : {};
      await db
        .update(tasks)
        .set({ nextDueAt: dueAt, ...once })
        .where(eq(tasks.id, task?.id ?? 0));
      harness.taskScheduler.wake();
    },
    /** Waits until the next run has ended in a state: the first call waits for the first run, or for a later one. */
    async ends(state: string): Promise<void> {
      const findNext = async () => (await listRuns()).findLast(({ id }) => id > endedId);
      await expect.poll(async () => (await findNext())?.state).toBe(state);
      endedId = (await findNext())?.id ?? endedId;
    },
    /** Waits until the last message of a chat matches. */
    shows: ({ chatId }: Pick<Actor, 'chatId'>, text: string | RegExp) =>
      expect.poll(() => harness.lines(chatId).at(-1) ?? '').toMatch(text),
  };
}
