import { and, eq, gte, inArray, isNotNull, isNull, lt, lte, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, taskRuns, tasks, users } from '../../database/schema/index.ts';
import type { TaskNotice } from './task.ts';

/** Work of the process that owns a chat: to carry out a run there, or to tell the user about it. */
export interface ClaimedRun {
  readonly runId: number;
  /** Telegram id of the group or private chat. */
  readonly chatId: number;
  readonly purpose: 'run' | 'notice';
  /** Number of the claim for this purpose, from 1 to `MAX_CLAIMS`. */
  readonly claim: number;
}

/** Time after the first claim at which a run that has not been carried out is claimed again; it doubles each time. */
const FIRST_LEASE_MS = 30_000;
/** Claims before a run is given up, after about half an hour. */
const MAX_CLAIMS = 6;

/** Returns the condition for open runs that were claimed too often. */
export function isGivenUp(db: Database, now: Date): SQL | undefined {
  return and(isUnanswered(db), gte(taskRuns.claims, MAX_CLAIMS), lte(taskRuns.leaseUntil, now));
}

/** Returns the condition for open runs whose question is not stored, or has no answer yet. */
function isUnanswered(db: Database): SQL | undefined {
  const answers = db.select({ id: messages.id }).from(messages).where(eq(messages.parentId, taskRuns.questionId));
  const isAsked = and(eq(taskRuns.state, 'started'), isNotNull(taskRuns.questionId), notExists(answers));
  return or(inArray(taskRuns.state, ['due', 'claimed']), isAsked);
}

/** Claims runs without an answer, and runs with a notice, that no process has claimed or whose lease has expired. */
export async function claimRuns(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly ClaimedRun[]> {
  const isFree = or(isNull(taskRuns.leaseUntil), lte(taskRuns.leaseUntil, now));
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({
        runId: taskRuns.id,
        notice: taskRuns.notice,
        claims: taskRuns.claims,
        groupId: tasks.groupId,
        telegramId: users.telegramId,
      })
      .from(taskRuns)
      .innerJoin(tasks, eq(tasks.id, taskRuns.taskId))
      .innerJoin(users, eq(users.id, tasks.userId))
      .where(and(or(isUnanswered(tx), isNotNull(taskRuns.notice)), isFree, lt(taskRuns.claims, MAX_CLAIMS)))
      .orderBy(taskRuns.id)
      .limit(limit)
      .for('update', { of: taskRuns, skipLocked: true });
    const runIds = rows.map(({ runId }) => runId);
    await tx
      .update(taskRuns)
      .set({
        state: sql`case when ${taskRuns.state} = 'due' then 'claimed' else ${taskRuns.state} end`,
        claims: sql`${taskRuns.claims} + 1`,
        leaseUntil: sql`${now.toISOString()}::timestamptz + make_interval(secs => ${FIRST_LEASE_MS / 1000} * power(2, ${taskRuns.claims}))`,
      })
      .where(inArray(taskRuns.id, runIds));
    return rows.flatMap(({ runId, notice, claims, groupId, telegramId }): ClaimedRun[] => {
      const chatId = isForPrivateChat(notice) ? telegramId : (groupId ?? telegramId);
      return chatId === null ? [] : [{ runId, chatId, purpose: notice === null ? 'run' : 'notice', claim: claims + 1 }];
    });
  });
}

/** Returns whether a notice is for the private chat of the user, because the chat of the task can't be used. */
export function isForPrivateChat(notice: TaskNotice | null | undefined): boolean {
  return notice === 'unreachable' || notice === 'not-allowed';
}
