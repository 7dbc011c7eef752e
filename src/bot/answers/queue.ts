import type { ChatTopic } from '../../core/conversations/index.ts';
import { countBatches, type Job, type JobRequest, type JobScope, type StoppedCounts } from '../../core/jobs/index.ts';
import { WorkQueue } from '../../lib/async/work-queue.ts';
import { toChatTopicKey } from '../kit/chats.ts';
import type { BotJobKind } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/** Part of an answer that the queue uses. */
export interface QueuedAnswer {
  readonly chatTopic: ChatTopic;
  /** User who asked. */
  readonly userId: number;
  /** The answer's message id in the database. */
  readonly id: number;
  /** Answers of one batch are written at the same time, those of other batches before or after them. Default: its own. */
  readonly batch?: number | undefined;
  /** It is sent beside the other answers of its topic, after earlier reminders, and can't be stopped. Default false. */
  readonly isReminder?: boolean;
  /** It is not dropped while it waits, because the user is not waiting for a model to begin it. Default false. */
  readonly staysQueued?: boolean;
}

/** Restricts a stop to one answer, or to the answers of a batch. */
export interface StopFilter {
  readonly answerId?: number;
  readonly batch?: number;
}

/** Job of an answer. */
export interface AnswerRequest<Answer> extends JobRequest {
  readonly answer: Answer;
  readonly queue: string;
}

export interface AnswerQueueDeps<Answer> {
  readonly services: Pick<BotServices, 'jobs'>;
  readonly kind: BotJobKind<AnswerRequest<Answer>>;
  /** Writes one answer completely, or ends early when the job is stopped. `unfinished`: the next process continues. */
  readonly write: (answer: Answer, job: Job) => Promise<'unfinished' | undefined>;
}

export interface AnswerQueueOptions {
  /** Maximum number of queued answers per topic, the running one not counted. Default `MAX_WAITING_ANSWERS`. */
  readonly maxWaiting?: number;
  /**
   * Maximum number of topics with running jobs. Default 1000: each takes some 50 KiB and a connection to a provider.
   */
  readonly maxChatTopics?: number;
}

/** Answers at the same time as one, and the queues that they share. */
export interface Companions<Answer> {
  /** Returns the answers of its batch, itself included. */
  readonly listBatch: () => readonly Answer[];
  /** Returns the number of messages of its user that wait in the topic. */
  readonly countWaiting: () => number;
  /** Runs one send at a time of all answers of the topic, reminders included. */
  readonly sends: Pick<WorkQueue, 'run'>;
  /** Reads one attachment at a time for the answers of its batch; undefined for one without a batch. */
  readonly readings: Pick<WorkQueue, 'run'> | undefined;
}

export const MAX_WAITING_ANSWERS = 5;
/** Reminders need no model. Those beyond are handed over again by the scheduler. */
const MAX_WAITING_REMINDERS = 100;
/** One at a time in each topic; more may wait than the answers to one question and a reminder. */
const TURNS = {
  total: Number.POSITIVE_INFINITY,
  perOwner: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingPerOwner: 100,
};

/**
 * Queue that writes one answer, or one batch of them, at a time per topic, in order, and beside it one reminder. They are
 * jobs, which run independently of update handling, so that `/stop` can be handled meanwhile.
 */
export class AnswerQueue<Answer extends QueuedAnswer> {
  readonly #deps: AnswerQueueDeps<Answer>;
  readonly #options: Required<AnswerQueueOptions>;
  readonly #sends = new WorkQueue(TURNS);
  readonly #readings = new WorkQueue(TURNS);

  constructor(
    deps: AnswerQueueDeps<Answer>,
    { maxWaiting = MAX_WAITING_ANSWERS, maxChatTopics = 1000 }: AnswerQueueOptions = {},
  ) {
    this.#deps = deps;
    this.#options = { maxWaiting, maxChatTopics };
  }

  /**
   * Returns whether a further answer of this topic would be written at once, wait, or be refused. `full`: too many of this
   * topic wait. `overloaded`: too many topics have answers, or the process is ending.
   */
  checkCapacity(chatTopic: ChatTopic, isReminder = false): 'at-once' | 'waits' | 'full' | 'overloaded' {
    const { jobs } = this.#deps.services;
    if (jobs.closing.aborted) return 'overloaded';
    const inTopic = this.#listQueue(toQueue({ chatTopic, isReminder }));
    if (inTopic.length === 0) {
      const queues = new Set(this.#jobs().map(({ request }) => request.queue));
      return queues.size < this.#options.maxChatTopics ? 'at-once' : 'overloaded';
    }
    const maxWaiting = isReminder ? MAX_WAITING_REMINDERS : this.#options.maxWaiting;
    return inTopic.filter(({ isRunning }) => !isRunning).length < maxWaiting ? 'waits' : 'full';
  }

  isUnderWay(answerId: number): boolean {
    return this.#deps.services.jobs.find(this.#deps.kind, answerId) !== undefined;
  }

  /** Returns the answers of a topic in order, the running ones first; or its reminders. */
  listJobs(chatTopic: ChatTopic, isReminder = false): readonly Answer[] {
    const inTopic = this.#listQueue(toQueue({ chatTopic, isReminder }));
    const running = inTopic.filter(({ isRunning }) => isRunning);
    return [...running, ...inTopic.filter((job) => !running.includes(job))].map(({ request }) => request.answer);
  }

  /**
   * Queues a recorded answer, which is not refused: `checkCapacity` comes before it is recorded. If the process is ending,
   * the next one writes it.
   */
  submit(answer: Answer): void {
    const { id, userId, chatTopic, batch, isReminder = false, staysQueued = false } = answer;
    const request = {
      answer,
      id,
      userId,
      chatTopic,
      batch,
      staysQueued,
      isStoppable: !isReminder,
      queue: toQueue(answer),
    };
    const { kind, services, write } = this.#deps;
    services.jobs.start(kind, request, (job) => write(answer, job));
  }

  /** Stops the user's answers in the scope that are being written and drops the waiting ones. */
  stop(scope: JobScope, userId: number, { answerId, batch }: StopFilter = {}): Promise<StoppedCounts> {
    return this.#stop(
      scope,
      userId,
      ({ id, request }) =>
        (answerId === undefined || id === answerId) && (batch === undefined || request.batch === batch),
    );
  }

  /** Returns the answers at the same time as this one, and the queues that they share. */
  companionsOf(answer: Answer): Companions<Answer> {
    const { batch, chatTopic, userId } = answer;
    const listBatch = () =>
      batch === undefined ? [answer] : this.listJobs(chatTopic).filter((other) => other.batch === batch);
    const owner = toChatTopicKey(chatTopic);
    const inTurn = (turns: WorkQueue): Companions<Answer>['sends'] => ({
      run: (work, options) => turns.run(work, { ...options, owner }),
    });
    return {
      listBatch,
      countWaiting: () => this.countWaiting(chatTopic, userId),
      sends: inTurn(this.#sends),
      readings: batch === undefined ? undefined : inTurn(this.#readings),
    };
  }

  /** Returns the number of the user's queued messages in a topic that `dropWaiting` would drop. */
  countWaiting(chatTopic: ChatTopic, userId: number): number {
    const waiting = this.#listQueue(toQueue({ chatTopic })).filter(({ isRunning }) => !isRunning);
    const droppable = waiting.filter(({ request }) => request.userId === userId && !request.staysQueued);
    return countBatches(droppable);
  }

  /** Drops the user's queued messages in a topic and keeps the running answers. @returns their number. */
  async dropWaiting(chatTopic: ChatTopic, userId: number): Promise<number> {
    return (await this.#stop(chatTopic, userId, ({ isRunning }) => !isRunning)).droppedCount;
  }

  async #stop(scope: JobScope, userId: number, matches: (job: Job) => boolean): Promise<StoppedCounts> {
    const { kind, services } = this.#deps;
    const counts = await services.jobs.stop(scope, userId, { kinds: [kind], matches });
    return counts.get(kind) ?? { stoppedCount: 0, droppedCount: 0 };
  }

  #listQueue(queue: string): readonly Job<AnswerRequest<Answer>>[] {
    return this.#jobs().filter(({ request }) => request.queue === queue);
  }

  #jobs(): readonly Job<AnswerRequest<Answer>>[] {
    return this.#deps.services.jobs.list(this.#deps.kind);
  }
}

/** Returns the queue that an answer waits in. */
function toQueue({ chatTopic, isReminder = false }: Pick<QueuedAnswer, 'chatTopic' | 'isReminder'>): string {
  return isReminder ? `reminders:${toChatTopicKey(chatTopic)}` : toChatTopicKey(chatTopic);
}
