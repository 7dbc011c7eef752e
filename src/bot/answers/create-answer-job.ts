import type { StoredMessage } from '../../core/conversations/index.ts';
import type { AnswerContext, AnswerExtension } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerJob } from './answer-job.ts';
import { AnswerProgress } from './answer-progress.ts';
import { type AnswerStart, isBegunAlone, isReminderAnswer } from './answer-start.ts';
import { findPromptAdditions, listAnswerTools } from './extend-answer.ts';
import { isQuietTask } from './task-answer.ts';

/** Answer to write: its question, its message in the database and its start. */
interface RequestedAnswer {
  readonly question: StoredMessage;
  readonly answerId: number;
  readonly start: AnswerStart;
}

export function createAnswerJob(
  services: BotServices,
  listExtensions: () => readonly AnswerExtension[],
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
    markedIds: new Set(start.markedIds),
  };
  return job.prefixExtras.comparison ? toComparedJob(job) : job;
}

/** Returns the job as one of several that write answers to its question at the same time. */
function toComparedJob(job: AnswerJob): AnswerJob {
  return {
    ...job,
    batch: job.question.id,
    // Each effect would happen several times.
    listTools: () => job.listTools().filter(({ isReadOnly }) => isReadOnly),
    canAsk: false,
    voiceReplies: undefined,
    // A chat has one draft at a time.
    streaming: job.streaming === 'drafts' ? 'edits' : job.streaming,
  };
}
