import type { StoredMessage } from '../../core/conversations/index.ts';
import { WorkQueue } from '../../lib/async/work-queue.ts';
import type { AnswerContext, AnswerExtension } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerJob } from './answer-job.ts';
import { AnswerProgress } from './answer-progress.ts';
import { type AnswerQueue, isOfBatch } from './answer-queue.ts';
import { type AnswerStart, isBegunAlone, isReminderAnswer } from './answer-start.ts';
import { findPromptAdditions, listAnswerTools } from './extend-answer.ts';
import { isQuietTask } from './task-answer.ts';

/** Answer to write: its question, its message in the database and its start. */
interface RequestedAnswer {
  readonly question: StoredMessage;
  readonly answerId: number;
  readonly start: AnswerStart;
}

interface AnswerWork {
  readonly queue: AnswerQueue<AnswerJob>;
  readonly listExtensions: () => readonly AnswerExtension[];
}

export function createAnswerJob(
  services: BotServices,
  { queue, listExtensions }: AnswerWork,
  context: AnswerContext,
  { question, answerId, start }: RequestedAnswer,
): AnswerJob {
  const { clock } = services;
  const { user, ...where } = context;
  const { settings } = user;
  const extended = { context, question, answerId, replyToMessageId: start.replyTo };
  const progress = new AnswerProgress(clock.now());
  if (start.heldMs) progress.heldUntil = clock.now() + start.heldMs;
  const job: AnswerJob = {
    ...where,
    question,
    answerId,
    userId: user.id,
    listTools: () => listAnswerTools(services, listExtensions(), extended),
    findPromptAdditions: () => findPromptAdditions(services, listExtensions(), extended),
    streaming: isQuietTask(question) ? 'whole' : context.isGroup ? 'edits' : settings.streaming,
    canAsk: true,
    isRich: settings.hasRichMessages ?? true,
    voiceReplies: settings.voiceReplies,
    start,
    replyToMessageId: start.replyTo,
    prefix: start.prefix ?? '',
    prefixExtras: start.prefixExtras ?? {},
    showsReasoning: settings.showsReasoning ?? true,
    questionMessageId: start.questionMessageId ?? start.replyTo,
    progress,
    isReminder: isReminderAnswer(start, question),
    staysQueued: isBegunAlone(start, question),
    sends: findSends(queue, context),
    markedIds: new Set(start.markedIds),
    listBatch: () => [job],
    countWaiting: () => queue.countWaiting(context.chatTopic, user.id),
  };
  return job.prefixExtras.comparison ? toComparedJob(queue, job) : job;
}

/** Returns the job as one of several that write answers to its question at the same time. */
function toComparedJob(queue: AnswerQueue<AnswerJob>, job: AnswerJob): AnswerJob {
  const batch = job.question.id;
  const listBatch = () => queue.listJobs(job.chatTopic).filter((other) => isOfBatch(other, { batch }));
  const [companion] = listBatch();
  return {
    ...job,
    batch,
    listBatch,
    readings: companion?.readings ?? createTurns(),
    // Each effect would happen several times.
    listTools: () => job.listTools().filter(({ isReadOnly }) => isReadOnly),
    canAsk: false,
    voiceReplies: undefined,
    // A chat has one draft at a time.
    streaming: job.streaming === 'drafts' ? 'edits' : job.streaming,
  };
}

/** Returns the queue of sends of a topic, where a reminder is sent beside other answers. */
function findSends(queue: AnswerQueue<AnswerJob>, { chatTopic }: AnswerContext): AnswerJob['sends'] {
  const [companion] = [...queue.listJobs(chatTopic), ...queue.listJobs(chatTopic, true)];
  return companion?.sends ?? createTurns();
}

/** More than the answers to one question and a reminder. */
const MAX_WAITING = 100;

/** Returns a queue that runs one task at a time. */
function createTurns(): WorkQueue {
  return new WorkQueue({ total: 1, maxWaiting: MAX_WAITING });
}
