import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { deliveries, messages, taskRuns } from '../../database/schema/index.ts';
import { isGivenUp } from './claim-runs.ts';
import { isNothingNew } from './nothing-new.ts';
import { OPEN_STATES } from './run-states.ts';
import type { TaskRunOutcome } from './task.ts';

const FAILED: ReadonlySet<string> = new Set(['error', 'content_filter']);

/**
 * Lists open runs that have ended according to their answer, or were claimed too often. The answer's row decides, so
 * that a run ends even if the process that answered has died.
 */
export async function listOutcomes(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly { readonly runId: number; readonly outcome: TaskRunOutcome }[]> {
  const answer = db
    .select({
      content: messages.content,
      finishReason: messages.finishReason,
      settledAt: messages.settledAt,
      isShown: sql<boolean>`exists (select from ${deliveries} where ${deliveries.messageId} = ${messages.id})`.as(
        'is_shown',
      ),
    })
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
      content: answer.content,
      isShown: answer.isShown,
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
  readonly content: string | null;
  readonly isShown: boolean | null;
  readonly finishReason: string | null;
  readonly settledAt: Date | null;
}): TaskRunOutcome {
  // The conversation was deleted meanwhile.
  if (row.state === 'started' && row.questionId === null) return { state: 'unclear', reason: 'interrupted' };
  if (row.settledAt === null) return { state: 'failed', reason: 'not-started' };
  if (row.finishReason === 'interrupted') return { state: 'failed', reason: 'interrupted' };
  if (row.finishReason === null || FAILED.has(row.finishReason)) return { state: 'failed', reason: 'error' };
  if (row.finishReason === 'stopped' && !row.isShown) return { state: 'skipped', reason: 'stopped' };
  if (row.isShown || row.content === '') return { state: 'done' };
  // Telegram has refused it, for instance because the topic was deleted.
  return isNothingNew(row.content ?? '')
    ? { state: 'done', isQuiet: true }
    : { state: 'failed', reason: 'unreachable' };
}
