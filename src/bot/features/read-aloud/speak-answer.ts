import type { AnswerJob } from '../../answers/answer-job.ts';
import { findGenerated } from '../../answers/answer-start.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { VoiceJobs } from './voice-jobs.ts';

/** Finish reasons of answers to read aloud; a stopped answer is not. */
const FINISHED: ReadonlySet<string> = new Set(['stop', 'length']);

/** Reads a new answer aloud if the user's settings say so; in private chats only. Never throws. */
export async function speakAnswer(
  deps: Pick<BotDeps, 'conversations' | 'logger' | 'speech'>,
  voices: Pick<VoiceJobs, 'begin'>,
  job: AnswerJob,
): Promise<void> {
  const { voiceReplies, answerId, userId, chatTopic, texts } = job;
  const isSpokenTo = job.question.attachments.some(({ kind }) => kind === 'recording');
  const isWanted = voiceReplies === 'always' || (voiceReplies === 'to-voice' && isSpokenTo);
  // A stored answer that is shown again is not read aloud again.
  if (!isWanted || job.isGroup || findGenerated(job.start) || !deps.speech.isAvailable()) return;
  try {
    const answer = await deps.conversations.findMessage(answerId);
    if (!answer || !FINISHED.has(answer.finishReason ?? '')) return;
    const options = { userId, chatTopic, texts, typingTopicId: job.typingTopicId, answerId, replyTo: undefined };
    voices.begin(options, answer.content);
  } catch (error) {
    deps.logger.warn({ err: error, answerId }, 'an answer could not be converted to speech');
  }
}
