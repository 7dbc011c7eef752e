import type { UserSettings } from '../../core/accounts/index.ts';
import type { AnswerRequest } from '../prompt/answer-request.ts';
import type { AnswerProgress } from './answer-progress.ts';
import type { QueuedAnswer } from './answer-queue.ts';
import type { AnswerStart } from './answer-start.ts';

/** Job that takes one answer from the question to the last message in the chat. */
export interface AnswerJob extends QueuedAnswer, AnswerRequest {
  readonly isGroup: boolean;
  /** Each page replies to the previous one, because the comments of a channel post show only replies. Default false. */
  readonly isInChain?: boolean;
  readonly streaming: UserSettings['streaming'];
  /** Tables and formulas are sent as Telegram's rich blocks if the server supports them. */
  readonly isRich: boolean;
  readonly voiceReplies: UserSettings['voiceReplies'];
  /** Topic for the typing status. Includes a forum's General topic, whose id must not be set when messages are sent. */
  readonly typingTopicId: number | undefined;
  /** Telegram message that contains the question, if known. */
  readonly questionMessageId: number | undefined;
  readonly start: AnswerStart;
  readonly progress: AnswerProgress;
  /** Telegram messages of the user that carry a reaction for "waiting". */
  readonly markedIds: Set<number>;
}
