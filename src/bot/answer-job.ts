import type { AnswerOrder } from './answer-order.ts';
import type { GeneratedAnswer } from './generate-answer.ts';
import type { ReplyJob } from './reply-queue.ts';

/** One answer from the question to the last message in the chat. */
export interface AnswerJob extends ReplyJob, AnswerOrder {
  readonly isGroup: boolean;
  /** The topic in which typing is shown: unlike sends it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  /** Telegram messages of an earlier, failed try: they go when the new answer shows. */
  readonly replacedIds: readonly number[];
  /** Telegram messages that a crash has left of this answer, in the order of pages: they go on to be its messages. */
  readonly takenOverIds: readonly number[];
  /** A crash has cut it short, and a model is asked again. */
  readonly isBegunAnew: boolean;
  /** What was generated before a crash kept it from being shown. Undefined where a model is to be asked. */
  readonly generated: GeneratedAnswer | undefined;
}
