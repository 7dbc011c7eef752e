import type { PersonSettings } from '../../core/accounts/index.ts';
import type { AnswerDraft } from './answer-draft.ts';
import type { AnswerOrder } from './answer-order.ts';
import type { GeneratedAnswer } from './generate-answer.ts';
import type { ReplyJob } from './reply-queue.ts';

/** One answer from the question to the last message in the chat. */
export interface AnswerJob extends ReplyJob, AnswerOrder {
  readonly isGroup: boolean;
  /** Each page replies to the one before: nothing else is seen among comments. Default false. */
  readonly isInChain?: boolean;
  readonly streaming: PersonSettings['streaming'];
  /** Tables and formulas show as Telegram's own, where the server knows how. */
  readonly isRich: boolean;
  readonly voiceReplies: PersonSettings['voiceReplies'];
  /** The topic in which typing is shown: unlike sends it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  /** The Telegram message that the question was written in, where that is known. */
  readonly askedIn: number | undefined;
  /** Telegram messages of an earlier, failed try: they go when the new answer shows. */
  readonly replacedIds: readonly number[];
  /** Telegram messages that a crash has left of this answer, in the order of pages: they go on to be its messages. */
  readonly takenOverIds: readonly number[];
  /** The answer in whose Telegram messages this one is written; it comes back where nothing comes of this one. */
  readonly replacedAnswerId: number | undefined;
  /** The words of the question may change until it is answered. */
  readonly draft: AnswerDraft;
  /** The person's Telegram messages that say that they wait. */
  readonly markedIds: Set<number>;
  /** The person's questions that wait behind it. */
  readonly countWaiting: () => number;
  /** A crash has cut it short, and a model is asked again. */
  readonly isBegunAnew: boolean;
  /** What was generated before a crash kept it from being shown. Undefined where a model is to be asked. */
  readonly generated: GeneratedAnswer | undefined;
}
