import type { Place, StoredMessage } from '../../core/conversations/index.ts';
import type { Asking } from '../framework/asking.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { AnswerJob } from './answer-job.ts';
import type { AnswerStart } from './answer-start.ts';
import type { GeneratedAnswer } from './generate-answer.ts';
import type { ReplyQueue } from './reply-queue.ts';

/** How an answer stands to the conversation: it goes on from here, it does and something is being written there, or it has moved on. */
export type AnswerStanding = 'last' | 'under-way' | 'left-behind';

/** What people do with answers that stand in the chat. What is called with an answer wants it to be the last one. */
export interface AnswerChanges {
  findStanding(answer: StoredMessage, place: Place): Promise<AnswerStanding>;
  /**
   * Another answer to its question, or to another one, in the messages of this one.
   * @param replyTo the Telegram message that it replies to, where it has to be sent anew.
   */
  replace(asking: Asking, answer: StoredMessage, question: StoredMessage, replyTo: number | undefined): Promise<void>;
  /** More of the same answer. */
  goOn(asking: Asking, answer: StoredMessage, question: StoredMessage): Promise<void>;
  /**
   * Goes on with an answer that waits for a permission.
   * @returns false where the user has decided before.
   */
  decide(asking: Asking, answer: StoredMessage, question: StoredMessage, decision: Decision): Promise<boolean>;
  /** Shows another answer to the same question in the messages of this one; the conversation goes on from it. */
  turnTo(asking: Asking, answer: StoredMessage, chosen: StoredMessage, question: StoredMessage): Promise<void>;
}

/** Whether the call that an answer waits with may run. */
export interface Decision {
  readonly pauseId: string;
  readonly isAllowed: boolean;
}

interface AnswerWork {
  readonly queue: ReplyQueue<AnswerJob>;
  readonly begin: (asking: Asking, question: StoredMessage, start: AnswerStart) => Promise<void>;
  readonly submit: (asking: Asking, question: StoredMessage, answerId: number, start: AnswerStart) => void;
}

export function createAnswerChanges({ conversations }: BotDeps, { queue, begin, submit }: AnswerWork): AnswerChanges {
  return {
    async findStanding(answer, place) {
      const last = await conversations.findLatestMessage(answer.threadId);
      if (last?.id !== answer.id && last?.parentId !== answer.parentId) return 'left-behind';
      const outlook = queue.outlook(place);
      // What is shown already has buttons, although its job has a last word to note.
      const isFree = outlook !== 'busy' && queue.listJobs(place).every(({ progress }) => progress.state === 'shown');
      return isFree ? 'last' : 'under-way';
    },
    async replace(asking, answer, question, replyTo) {
      await begin(asking, question, { kind: 'variant', replyTo, replacedAnswerId: answer.id });
    },
    async goOn(asking, answer, question) {
      const takenOverIds = await conversations.listShownIn({ answerId: answer.id, chatId: asking.place.chatId });
      await conversations.reopenMessage(answer.id);
      const { content: prefix, extras: prefixExtras } = answer;
      const continued = { kind: 'continuation', takenOverIds, prefix, prefixExtras } as const;
      submit(asking, question, answer.id, { replyTo: undefined, ...continued });
    },
    async decide(asking, answer, question, { pauseId, isAllowed }) {
      const { chatId } = asking.place;
      const takenOverIds = await conversations.listShownIn({ answerId: answer.id, chatId });
      const [askedIn] = await conversations.listShownIn({ answerId: question.id, chatId });
      if (!(await conversations.decidePaused(answer.id, pauseId, isAllowed))) return false;
      await conversations.setHead(answer.id);
      const decided = await conversations.findMessage(answer.id);
      submit(asking, question, answer.id, {
        kind: 'continuation',
        replyTo: asking.isGroup ? askedIn : undefined,
        askedIn,
        takenOverIds,
        replacedAnswerId: answer.replacesId,
        prefix: answer.content,
        prefixExtras: decided?.extras ?? {},
      });
      return true;
    },
    async turnTo(asking, answer, chosen, question) {
      const shown = { answerId: chosen.id, chatId: asking.place.chatId };
      const takenOverIds = await conversations.chooseVariant(shown, answer.id);
      const generated = toGenerated(chosen);
      submit(asking, question, chosen.id, { kind: 'chosen-variant', replyTo: undefined, takenOverIds, generated });
    },
  };
}

/** An answer that was written to its end before. */
export function toGenerated({ content: text, finishReason = 'stop', extras }: StoredMessage): GeneratedAnswer {
  return { text, finishReason, failure: undefined, extras };
}
