import { asc, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { taskRuns, tasks } from '../../database/schema/index.ts';

/** A task in an export, with its runs, oldest first. */
export type ExportedTask = Awaited<ReturnType<typeof readTasks>>[number];

export async function readTasks(db: Database, userId: number) {
  const own = await db.select().from(tasks).where(eq(tasks.userId, userId)).orderBy(asc(tasks.id));
  if (own.length === 0) return [];
  const { taskId, dueAt, state, reason, endedAt } = taskRuns;
  const runs = await db
    .select({ taskId, dueAt, state, reason, endedAt })
    .from(taskRuns)
    .where(
      inArray(
        taskId,
        own.map(({ id }) => id),
      ),
    )
    .orderBy(asc(dueAt));
  return own.map(({ id, userId: _userId, failures: _failures, ...task }) => ({
    ...task,
    runs: runs.filter((run) => run.taskId === id).map(({ taskId: _taskId, ...run }) => run),
  }));
}
