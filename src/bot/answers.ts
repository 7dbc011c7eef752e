import type { Person } from '../core/accounts/index.ts';
import type { Attachment, OwedAnswer, Place, StoredMessage } from '../core/conversations/index.ts';
import type { ModelEntry } from '../core/models/index.ts';
import type { AnswerJob } from './answer-job.ts';
import type { BotDeps } from './bot-deps.ts';
import type { Retry } from './choice.ts';
import type { GeneratedAnswer } from './generate-answer.ts';
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
  /** The other messages of its album, in order. Default none. */
  readonly alsoIn?: readonly number[];
  /** The message of the tree that it goes on from; undefined means the newest of the place's current thread. */
  readonly parent: StoredMessage | undefined;
}

/** The answers that are being written: all of the bot's work that outlives the handling of an update. */
export interface Answers {
  /** Keeps the question and has it answered, after those that came before it in its place. A repeated one is answered once. */
  ask(asking: Asking, question: Question): Promise<'accepted' | 'full' | 'busy'>;
  /** Keeps a question for those that follow it, without an answer of its own. */
  keep(asking: Asking, question: Question): Promise<void>;
  /**
   * Goes on with an answer that a crash has cut short: in the messages that it has, with a new text where it was not `generated`
   * to its end.
   */
  resume(
    asking: Asking,
    question: StoredMessage,
    answer: Pick<OwedAnswer, 'id' | 'askedIn' | 'shownIn'>,
    generated: GeneratedAnswer | undefined,
  ): void;
  /** Chats where answers are being written, or wait for that, or where this process has left something owed. */
  listBusyChats(): ReadonlySet<number>;
  isUnderWay(answerId: number): boolean;
  /** Whether a failed answer is still the newest message of its thread, and so can be asked for again. */
  canRetry(retry: Retry): Promise<boolean>;
  /** Has a question answered again: the new answer is a sibling of the failed one. */
  retry(asking: Asking, retry: Retry): Promise<'accepted' | 'full' | 'busy' | 'stale'>;
  /** Ends what is being written for the person at a place and drops what waits. `answerId` narrows it to one answer. */
  stop(place: Place, personId: number, answerId?: number): Promise<{ wasWriting: boolean; droppedCount: number }>;
  /** Another process works for this chat now, and goes on with its answers: not a word more comes from here. */
  abandon(chatId: number): void;
  /** Lets what is being written end for a while, then keeps what there is. */
  close(): Promise<void>;
}

/** Where an answer goes, and what there is of it. */
interface Showing {
  readonly replyTo: number | undefined;
  readonly replacedIds?: readonly number[];
  readonly takenOverIds?: readonly number[];
  readonly isBegunAnew?: boolean;
  readonly generated?: GeneratedAnswer | undefined;
}

/** How long answers may go on when the process is told to end, and how long the delivery of what there is may take after that. */
const SHUTDOWN_GRACE_MS = 8000;
const LAST_WORDS_MS = 5000;

export function createAnswers(deps: BotDeps): Answers {
  const { conversations } = deps;
  const over = new AbortController();
  const chatsLeft = new Set<number>();
  const queue = createReplyQueue<AnswerJob>({
    async write(job, stop) {
      const outcome = await writeAnswer(deps, job, { stop, over: over.signal });
      if (outcome === 'owed') chatsLeft.add(job.place.chatId);
    },
    clock: deps.clock,
    logger: deps.logger,
  });

  const submit = (asking: Asking, question: StoredMessage, answerId: number, show: Showing) => {
    const { person, ...where } = asking;
    queue.submit({
      ...where,
      question,
      answerId,
      personId: person.id,
      systemPrompt: person.settings.systemPrompt,
      replyToMessageId: show.replyTo,
      replacedIds: show.replacedIds ?? [],
      takenOverIds: show.takenOverIds ?? [],
      isBegunAnew: show.isBegunAnew ?? false,
      generated: show.generated,
    });
  };

  const begin = async (asking: Asking, question: StoredMessage, show: Showing) => {
    const { threadId, id: parentId } = question;
    const answer = { threadId, parentId, role: 'assistant', content: '', model: asking.model.id } as const;
    submit(asking, question, (await conversations.addMessage(answer)).id, show);
  };

  const findKept = (asking: Asking, { telegramMessageId }: Question) =>
    conversations.findByDelivery(asking.place.chatId, telegramMessageId);

  const keep = async ({ place, person }: Asking, { parent: given, ...question }: Question) => {
    const threadId = given?.threadId ?? (await conversations.currentThread(place, person.id)).id;
    const parent = given ?? (await conversations.findLatestMessage(threadId));
    return conversations.addMessage({
      threadId,
      parentId: parent?.id,
      role: 'user',
      content: question.content,
      attachments: question.attachments,
      personId: person.id,
      shownIn: { chatId: place.chatId, telegramMessageId: question.telegramMessageId },
      alsoShownIn: question.alsoIn ?? [],
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
      const kept = await findKept(asking, question);
      // The process died after it had begun with the answer, and before the update counted as handled.
      if (kept && (await conversations.hasReply(kept.id))) return 'accepted';
      const outlook = queue.outlook(asking.place);
      if (outlook === 'full' || outlook === 'busy') return outlook;
      const { telegramMessageId } = question;
      // Where several questions are open, the answer says which one it belongs to.
      const replyTo = asking.isGroup || outlook === 'waits' ? telegramMessageId : undefined;
      await begin(asking, kept ?? (await keep(asking, question)), { replyTo });
      return 'accepted';
    },
    async keep(asking, question) {
      if (!(await findKept(asking, question))) await keep(asking, question);
    },
    resume(asking, question, { id, askedIn, shownIn }, generated) {
      const isBegunAnew = generated === undefined;
      submit(asking, question, id, { replyTo: askedIn, takenOverIds: shownIn, isBegunAnew, generated });
    },
    listBusyChats: () => new Set([...queue.listBusyChats(), ...chatsLeft]),
    isUnderWay: (answerId) => queue.isUnderWay(answerId),
    async retry(asking, retry) {
      const question = await conversations.findMessage(retry.questionId);
      if (!question || !(await canRetry(retry))) return 'stale';
      const outlook = queue.outlook(asking.place);
      if (outlook === 'full' || outlook === 'busy') return outlook;
      await begin(asking, question, { replyTo: retry.replyTo, replacedIds: retry.shownIds });
      return 'accepted';
    },
    async stop(place, personId, answerId) {
      const { wasWriting, dropped } = queue.stop(place, personId, answerId);
      for (const job of dropped) {
        await conversations.finishMessage(job.answerId, { content: '', finishReason: 'stopped' });
        await conversations.settleMessage(job.answerId);
      }
      return { wasWriting, droppedCount: dropped.length };
    },
    abandon: (chatId) => queue.abandon(chatId),
    async close() {
      let cancelTimer: (() => void) | undefined;
      await queue.close(SHUTDOWN_GRACE_MS, () => {
        cancelTimer = deps.clock.setTimer(LAST_WORDS_MS, () => over.abort());
      });
      cancelTimer?.();
    },
  };
}
