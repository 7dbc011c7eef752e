import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, taskRuns } from '../../database/schema/index.ts';
import { isGivenUp } from './claim-runs.ts';
import { OPEN_STATES } from './run-states.ts';
import type { TaskRunOutcome } from './task.ts';

/**
 * Lists open runs that have ended according to their answer, or were claimed too often. The answer's row decides, so
 * that a run ends even if the process that answered has died.
 */
export async function listOutcomes(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly { readonly runId: number; readonly outcome: TaskRunOutcome }[]> {
  const answer = db
    .select({ finishReason: messages.finishReason, settledAt: messages.settledAt })
    .from(messages)
    .where(and(eq(messages.parentId, taskRuns.questionId), eq(messages.role, 'assistant')))
    .orderBy(desc(messages.id))
    .limit(1)
    .as('answer');
  const isStarted = eq(taskRuns.state, 'started');
  const isSettled = and(isStarted, isNotNull(answer.settledAt));
  const isGone = and(isStarted, isNull(taskRuns.questionId));
  const rows = await db
    .select({
      runId: taskRuns.id,
      state: taskRuns.state,
      questionId: taskRuns.questionId,
      finishReason: answer.finishReason,
      settledAt: answer.settledAt,
    })
    .from(taskRuns)
    .leftJoinLateral(answer, sql`true`)
    // The states name the index of open runs.
    .where(and(inArray(taskRuns.state, OPEN_STATES), or(isSettled, isGone, isGivenUp(db, now))))
    .orderBy(taskRuns.id)
    .limit(limit);
  return rows.map(({ runId, ...row }) => ({ runId, outcome: toOutcome(row) }));
}

function toOutcome(row: {
  readonly state: string;
  readonly questionId: number | null;
  readonly finishReason: string | null;
  readonly settledAt: Date | null;
}): TaskRunOutcome {
  // The conversation was deleted meanwhile.
  if (row.state === 'started' && row.questionId === null) return { state: 'unclear', reason: 'interrupted' };
  if (row.settledAt === null) return { state: 'failed', reason: 'not-started' };
  if (row.finishReason === 'interrupted') return { state: 'failed', reason: 'interrupted' };
  return row.finishReason === 'error' || row.finishReason === null
    ? { state: 'failed', reason: 'error' }
    : { state: 'done' };
}
