import type { Person } from '../core/accounts/index.ts';
import type { Attachment, Place, StoredMessage } from '../core/conversations/index.ts';
import type { ModelEntry } from '../core/models/index.ts';
import type { AnswerJob } from './answer-job.ts';
import type { BotDeps } from './bot-deps.ts';
import type { Retry } from './choice.ts';
import { createReplyQueue } from './reply-queue.ts';
import type { Texts } from './texts/locales.ts';
import { writeAnswer } from './write-answer.ts';

/** Who asks, where, and whom. */
export interface Asking {
  readonly person: Person;
  readonly texts: Texts;
  readonly place: Place;
  readonly isGroup: boolean;
  /** The topic in which typing is shown: unlike sends it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly model: ModelEntry;
}

/** A question as it stands in a Telegram message. */
export interface Question {
  readonly content: string;
  readonly attachments: readonly Attachment[];
  readonly telegramMessageId: number;
  /** The message of the tree that it goes on from; undefined means the newest of the place's current thread. */
  readonly parent: StoredMessage | undefined;
}

/** The answers that are being written: all of the bot's work that outlives the handling of an update. */
export interface Answers {
  /** Keeps the question and has it answered, after those that came before it in its place. */
  ask(asking: Asking, question: Question): Promise<'accepted' | 'full' | 'busy'>;
  /** Whether a failed answer is still the newest message of its thread, and so can be asked for again. */
  canRetry(retry: Retry): Promise<boolean>;
  /** Has a question answered again: the new answer is a sibling of the failed one. */
  retry(asking: Asking, retry: Retry): Promise<'accepted' | 'full' | 'busy' | 'stale'>;
  /** Ends what is being written for the person at a place and drops what waits. `answerId` narrows it to one answer. */
  stop(place: Place, personId: number, answerId?: number): Promise<{ wasWriting: boolean; droppedCount: number }>;
  /** Lets what is being written end for a while, then keeps what there is. */
  close(): Promise<void>;
}

/** How long answers may go on when the process is told to end, and how long the delivery of what there is may take after that. */
const SHUTDOWN_GRACE_MS = 8000;
const LAST_WORDS_MS = 5000;

export function createAnswers(deps: BotDeps): Answers {
  const { conversations } = deps;
  const over = new AbortController();
  const queue = createReplyQueue<AnswerJob>({
    write: (job, stop) => writeAnswer(deps, job, { stop, over: over.signal }),
    clock: deps.clock,
    logger: deps.logger,
  });

  const submit = async (
    asking: Asking,
    question: StoredMessage,
    replyTo: number | undefined,
    shown: readonly number[],
  ) => {
    const { person, ...where } = asking;
    const answer = await conversations.addMessage({
      threadId: question.threadId,
      parentId: question.id,
      role: 'assistant',
      content: '',
      model: asking.model.id,
    });
    queue.submit({
      ...where,
      question,
      answerId: answer.id,
      personId: person.id,
      systemPrompt: person.settings.systemPrompt,
      replyToMessageId: replyTo,
      shownIds: shown,
    });
  };

  const canRetry = async (retry: Retry) => {
    const failed = await conversations.findMessage(retry.failedId);
    const latest = failed && (await conversations.findLatestMessage(failed.threadId));
    return latest?.id === retry.failedId;
  };

  return {
    canRetry,
    async ask(asking, question) {
      const outlook = queue.outlook(asking.place);
      if (outlook === 'full' || outlook === 'busy') return outlook;
      const threadId =
        question.parent?.threadId ?? (await conversations.currentThread(asking.place, asking.person.id)).id;
      const parent = question.parent ?? (await conversations.findLatestMessage(threadId));
      const stored = await conversations.addMessage({
        threadId,
        parentId: parent?.id,
        role: 'user',
        content: question.content,
        attachments: question.attachments,
      });
      const { telegramMessageId } = question;
      await conversations.recordDelivery(stored.id, { chatId: asking.place.chatId, telegramMessageId, page: 0 });
      // Where several questions are open, the answer says which one it belongs to.
      await submit(asking, stored, asking.isGroup || outlook === 'waits' ? telegramMessageId : undefined, []);
      return 'accepted';
    },
    async retry(asking, retry) {
      const question = await conversations.findMessage(retry.questionId);
      if (!question || !(await canRetry(retry))) return 'stale';
      const outlook = queue.outlook(asking.place);
      if (outlook === 'full' || outlook === 'busy') return outlook;
      await submit(asking, question, retry.replyTo, retry.shownIds);
      return 'accepted';
    },
    async stop(place, personId, answerId) {
      const { wasWriting, dropped } = queue.stop(place, personId, answerId);
      for (const job of dropped) {
        await conversations.finishMessage(job.answerId, { content: '', finishReason: 'stopped' });
      }
      return { wasWriting, droppedCount: dropped.length };
    },
    async close() {
      let cancelTimer: (() => void) | undefined;
      await queue.close(SHUTDOWN_GRACE_MS, () => {
        cancelTimer = deps.clock.setTimer(LAST_WORDS_MS, () => over.abort());
      });
      cancelTimer?.();
    },
  };
}
