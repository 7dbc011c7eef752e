import {
  type ConversationDetails,
  type StoredMessage,
  TaskRunStartedError,
} from '../../../core/conversations/index.ts';
import type { DueRun, TaskRunOutcome, TaskRunReason } from '../../../core/tasks/index.ts';
import type { AnswerContext } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { findTaskContext } from './task-context.ts';
import { findTaskConversation } from './task-conversation.ts';
import { toTaskName } from './task-name.ts';
import { sendTaskNotice } from './task-notice.ts';

/** Carries out runs of tasks in the process that owns their chat. */
export interface TaskRunner {
  /** Starts a run or tells the user about it. Has no effect if that has happened already. Never throws. */
  carryOut(runId: number): Promise<void>;
}

/** A run that begins so much later than it was due says so. */
const LATE_MS = 5 * 60_000;

export function createTaskRunner(services: BotServices): TaskRunner {
  const { logger, taskLedger } = services;

  const start = async (due: DueRun) => {
    const context = await findTaskContext(services, due);
    if (typeof context === 'string') {
      await taskLedger.endRun(due.run.id, toMissed(context));
      logger.info({ runId: due.run.id, taskId: due.task.id, reason: context }, 'a run of a task was not started');
      return;
    }
    const conversation = await findTaskConversation(services, due, context);
    const answering = { ...context, model: findModel(services, conversation) ?? context.model };
    const outcome = await services.answers.answerTask(answering, due.task.kind, () =>
      storeQuestion(services, due, context, conversation),
    );
    if (outcome !== 'accepted') logger.info({ runId: due.run.id, outcome }, 'a run of a task waits for other answers');
  };

  return {
    async carryOut(runId) {
      try {
        const due = await taskLedger.findRun(runId);
        if (!due) return;
        if (due.run.notice !== undefined) return await sendTaskNotice(services, due);
        if (due.run.state === 'claimed' || due.run.state === 'started') await start(due);
      } catch (error) {
        logger.warn({ err: error, runId }, 'a run of a task could not be carried out; retrying');
      }
    },
  };
}

function toMissed(reason: Exclude<TaskRunReason, 'stopped'>): TaskRunOutcome {
  return reason === 'quota' ? { state: 'skipped', reason } : { state: 'failed', reason };
}

function findModel(
  { catalogue }: BotServices,
  { model }: Pick<ConversationDetails, 'model'>,
): AnswerContext['model'] | undefined {
  const entry = model === undefined ? undefined : catalogue.find(model);
  return entry?.type === 'chat' ? entry : undefined;
}

/** Stores the question of a run, which starts the run; returns the stored one after a crash. */
async function storeQuestion(
  services: BotServices,
  { run, task }: DueRun,
  { user }: AnswerContext,
  { id: conversationId }: ConversationDetails,
): Promise<StoredMessage | undefined> {
  const { clock, conversations } = services;
  if (run.questionId !== undefined) return conversations.findMessage(run.questionId);
  const taskRun = {
    runId: run.id,
    taskId: task.id,
    kind: task.kind,
    name: toTaskName(task),
    dueAt: run.dueAt.toISOString(),
    timeZone: task.times.timeZone,
    missedCount: run.missedCount,
    isLate: !run.isManual && clock.now() - run.dueAt.getTime() > LATE_MS,
    isManual: run.isManual,
    // The user waits for the result of a run started by hand.
    isQuiet: task.quietWhenNothingNew && !run.isManual,
  };
  const parent = await conversations.findLatestMessage(conversationId);
  try {
    return await conversations.addMessage({
      ...{ conversationId, parentId: parent?.id, role: 'user', content: task.prompt, userId: user.id },
      // A reminder continues nothing: the conversation goes on from the answer before it, which may still be written.
      isAside: task.kind === 'reminder',
      extras: { taskRun, ...(task.hasForeignText && { hasForeignText: true }) },
      taskRunId: run.id,
    });
  } catch (error) {
    if (error instanceof TaskRunStartedError) return undefined;
    throw error;
  }
}
