import type { AnswerJob } from '../../answers/answer-job.ts';
import { findGenerated } from '../../answers/answer-start.ts';
import type { BotServices } from '../../kit/services.ts';

/** Finish reasons of answers to read aloud; a stopped answer is not. */
const FINISHED: ReadonlySet<string> = new Set(['stop', 'length']);

/** Reads a new answer aloud if the user's settings say so; in private chats only. Never throws. */
export async function speakAnswer(services: BotServices, job: AnswerJob): Promise<void> {
  const { voiceReplies, answerId, userId, chatTopic, texts } = job;
  const isSpokenTo = job.question.attachments.some(({ kind }) => kind === 'recording');
  const isWanted = voiceReplies === 'always' || (voiceReplies === 'to-voice' && isSpokenTo);
  // A stored answer that is shown again is not read aloud again.
  if (!isWanted || job.isGroup || findGenerated(job.start) || !services.speech.isAvailable()) return;
  try {
    const answer = await services.conversations.findMessage(answerId);
    if (!answer || !FINISHED.has(answer.finishReason ?? '')) return;
    const options = { userId, chatTopic, texts, typingTopicId: job.typingTopicId, answerId, replyTo: undefined };
    services.voices.begin(options, answer.content);
  } catch (error) {
    services.logger.warn({ err: error, answerId }, 'an answer could not be converted to speech');
  }
}
