import type { UserSettings } from '../../core/accounts/index.ts';
import type { AnswerOrder } from '../prompt/answer-order.ts';
import type { AnswerProgress } from './answer-progress.ts';
import type { AnswerStart } from './answer-start.ts';
import type { ReplyJob } from './reply-queue.ts';

/** One answer from the question to the last message in the chat. */
export interface AnswerJob extends ReplyJob, AnswerOrder {
  readonly isGroup: boolean;
  /** Each page replies to the one before: nothing else is seen among comments. Default false. */
  readonly isInChain?: boolean;
  readonly streaming: UserSettings['streaming'];
  /** Tables and formulas show as Telegram's own, where the server knows how. */
  readonly isRich: boolean;
  readonly voiceReplies: UserSettings['voiceReplies'];
  /** The topic in which typing is shown: unlike sends it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  /** The Telegram message that the question was written in, where that is known. */
  readonly askedIn: number | undefined;
  readonly start: AnswerStart;
  readonly progress: AnswerProgress;
  /** The person's Telegram messages that say that they wait. */
  readonly markedIds: Set<number>;
  /** The person's questions that wait behind it. */
  readonly countWaiting: () => number;
}
