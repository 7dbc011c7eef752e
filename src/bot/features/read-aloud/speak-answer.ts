import type { AnswerJob } from '../../answers/answer-job.ts';
import { findGenerated } from '../../answers/answer-start.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { VoiceJobs } from './voice-jobs.ts';

/** Who has stopped an answer does not want to hear it. */
const FINISHED: ReadonlySet<string> = new Set(['stop', 'length']);

/** Reads an answer aloud that has just been written, for those who want that, in private chats. Never throws. */
export async function speakAnswer(
  deps: Pick<BotDeps, 'conversations' | 'logger' | 'speech'>,
  voices: Pick<VoiceJobs, 'begin'>,
  job: AnswerJob,
): Promise<void> {
  const { voiceReplies, answerId, userId, place, texts } = job;
  const isSpokenTo = job.question.attachments.some(({ kind }) => kind === 'recording');
  const isWanted = voiceReplies === 'always' || (voiceReplies === 'to-voice' && isSpokenTo);
  // What was written earlier and shows again was read aloud then.
  if (!isWanted || job.isGroup || findGenerated(job.start) || !deps.speech.isAvailable()) return;
  try {
    const answer = await deps.conversations.findMessage(answerId);
    if (!answer || !FINISHED.has(answer.finishReason ?? '')) return;
    const order = { userId, place, texts, actionTopicId: job.typingTopicId, answerId, replyTo: undefined };
    voices.begin(order, answer.content);
  } catch (error) {
    deps.logger.warn({ err: error, answerId }, 'an answer can not be read aloud');
  }
}
