import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import { WorkStoppedError } from '../../core/jobs/index.ts';
import type { Failure } from '../kit/failure.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { QueuedAnswer } from './queue.ts';

/** State of an answer: how far this process is with it. After a crash `fromRow` finds the state in the database. */
export type AnswerState =
  | 'queued'
  /** The model has been asked; nothing of the answer is visible. */
  | 'generating'
  /** Text, or effects of tools, are visible. */
  | 'streaming'
  /** A tool call needs the user's permission. */
  | 'paused'
  | 'written'
  | 'stopped'
  | 'interrupted'
  | 'failed'
  /** The chat shows all of it. */
  | 'shown';

const ENDED = ['paused', 'written', 'stopped', 'interrupted', 'failed'] as const;
type EndedState = (typeof ENDED)[number];

/** Finish reasons of the states that a row tells apart from `written`. */
export const FINISH_REASONS: { readonly [state in AnswerState]?: readonly string[] } = {
  paused: ['paused'],
  stopped: ['stopped'],
  interrupted: ['interrupted'],
  failed: ['error', 'content_filter'],
};

/** Returns the state of an answer whose generation has ended. */
function toEndedState(finishReason: string): EndedState {
  return ENDED.find((state) => FINISH_REASONS[state]?.includes(finishReason)) ?? 'written';
}

/** Result of one generation. An interrupted answer can have both text and a failure. */
export interface GeneratedAnswer {
  /** Markdown to show. */
  readonly text: string;
  /**
   * The provider's finish reason, or `stopped` (by the user), `interrupted` (by a restart), `paused` (until the user
   * decides about a tool call), `error`.
   */
  readonly finishReason: string;
  readonly failure: Failure | undefined;
  readonly extras: MessageExtras;
}

/** State of an answer of an earlier process. `written` is unset if a model has to generate it or to continue it. */
export type RecoveredAnswer =
  | { readonly state: 'queued'; readonly written?: undefined }
  | { readonly state: EndedState; readonly written: GeneratedAnswer };

/**
 * Returns the state of an answer that an earlier process has not shown completely.
 * @param mayGenerate a model may generate it again; otherwise its text is shown as it is.
 */
export function fromRow(
  row: Pick<StoredMessage, 'content' | 'finishReason' | 'extras'>,
  mayGenerate: boolean,
): RecoveredAnswer {
  const { content: text, finishReason } = row;
  const { isComputing, ...extras } = row.extras;
  const toRecovered = (reason: string, failure?: Failure): RecoveredAnswer => ({
    state: toEndedState(reason),
    written: { text, finishReason: reason, failure, extras },
  });
  // The original failure is not stored.
  if (finishReason === 'error' || finishReason === 'interrupted')
    return toRecovered(finishReason, { kind: 'interrupted' });
  if (finishReason !== undefined) return toRecovered(finishReason);
  if (isComputing) return toRecovered('interrupted', { kind: 'toolEndedProcess' });
  if (mayGenerate) return { state: 'queued' };
  // It was being continued: finish reason `length` keeps the ▶️ button.
  return text === '' ? toRecovered('interrupted', { kind: 'interrupted' }) : toRecovered('length');
}

/** Rules for the answers of one origin. */
interface OriginRules {
  /** A later message of the user changes the question as long as nothing is written. */
  readonly questionMayChange: boolean;
  /** The answer to a task is not dropped while it waits: the user is not waiting for it. */
  readonly runStaysQueued: boolean;
  /** Counted, unless the answer is already written: a limited number of processes may crash while they generate it. */
  readonly isResumption: boolean;
  /** A message of it is sent before the model writes, in the order of the models. */
  readonly isShownAtOnce: boolean;
}

const NOTHING_SPECIAL: OriginRules = {
  questionMayChange: false,
  runStaysQueued: false,
  isResumption: false,
  isShownAtOnce: false,
};

/**
 * Request that starts an answer: `question`: the first answer; `comparison`: one of several models to one question;
 * `retry`: after a failure; `variant`: another answer in the messages of the first; `edit`: to an edited question, in
 * the messages of the answer to the previous version; `continuation`: after an early end, or after the user's decision
 * about a tool call; `choice`: a stored variant is shown again; `recovery`: an earlier process has started the answer;
 * `task`: to the question of a task, or a reminder.
 */
export type Origin =
  | 'question'
  | 'comparison'
  | 'retry'
  | 'variant'
  | 'edit'
  | 'continuation'
  | 'choice'
  | 'recovery'
  | 'task';

/** Facts about an answer that its origin decides. */
export interface AnswerStart {
  readonly origin: Origin;
  /** Telegram message that the answer replies to. Default none. */
  readonly replyTo?: number | undefined;
  /** Telegram message that contains the question. Default `replyTo`. */
  readonly questionMessageId?: number | undefined;
  /** Telegram messages that become messages of the answer, in the order of pages. Default none. */
  readonly takenOverIds?: readonly number[];
  /** Answer in whose messages the new one is written. It is restored if the new one stays empty. Default none. */
  readonly replacedAnswerId?: number | undefined;
  /** Telegram messages of a failed attempt, which are removed when the answer shows. Default none. */
  readonly removedIds?: readonly number[];
  /** Text to continue; empty for an answer from the beginning. Default empty. */
  readonly prefix?: string;
  /** Extras of the answer so far. Default none. */
  readonly prefixExtras?: MessageExtras;
  /** Set if the answer is completely written and only has to be shown. */
  readonly written?: GeneratedAnswer | undefined;
  /** Telegram messages of the user that carry a reaction for "waiting". Default none. */
  readonly markedIds?: readonly number[];
  /** Time to wait for further parts of the question, in milliseconds. Default 0. */
  readonly heldMs?: number;
}

/** Question to answer, and the message of the answer in the database. */
export interface AskedAnswer {
  readonly id: number;
  readonly question: StoredMessage;
  readonly context: AnswerContext;
}

const ORIGINS: { readonly [origin in Origin]: OriginRules } = {
  question: { ...NOTHING_SPECIAL, questionMayChange: true },
  retry: { ...NOTHING_SPECIAL, questionMayChange: true },
  // A second edit makes another branch.
  edit: NOTHING_SPECIAL,
  variant: NOTHING_SPECIAL,
  continuation: NOTHING_SPECIAL,
  choice: NOTHING_SPECIAL,
  comparison: { ...NOTHING_SPECIAL, isShownAtOnce: true },
  task: { ...NOTHING_SPECIAL, questionMayChange: true, runStaysQueued: true },
  recovery: { ...NOTHING_SPECIAL, questionMayChange: true, runStaysQueued: true, isResumption: true },
};
/**
 * The states that follow each one. From `shown`, and from a pause that the user decides about, the answer begins anew as
 * another object with the same row.
 */
export const TRANSITIONS: { readonly [from in AnswerState]: readonly AnswerState[] } = {
  queued: ['generating', ...ENDED],
  // The question changes, or the quota is in use by other answers to it.
  generating: ['generating', 'streaming', 'queued', ...ENDED],
  streaming: ['streaming', 'generating', 'queued', ...ENDED],
  paused: ['shown'],
  written: ['shown'],
  stopped: ['shown'],
  interrupted: ['shown'],
  failed: ['shown'],
  shown: ['queued'],
};

/** One answer, from the question to the last message in the chat. Until it is `written`, a changed question restarts it. */
export class Answer implements QueuedAnswer {
  /** Its message in the database. */
  readonly id: number;
  /** Message to answer. The messages before it in the tree are the context. */
  readonly question: StoredMessage;
  /** User who asks, with settings, location, and model. */
  readonly context: AnswerContext;
  readonly origin: Origin;
  readonly replyTo: number | undefined;
  readonly questionMessageId: number | undefined;
  readonly takenOverIds: readonly number[];
  readonly replacedAnswerId: number | undefined;
  readonly removedIds: readonly number[];
  readonly prefix: string;
  readonly prefixExtras: MessageExtras;
  readonly written: GeneratedAnswer | undefined;
  readonly markedIds: Set<number>;
  /** Arrival of the newest part of the question, milliseconds since the epoch. */
  askedAt: number;
  /** Earliest time of the request to the model, as more parts of the question may follow. Milliseconds since the epoch. */
  heldUntil: number;
  #state: AnswerState = 'queued';
  #attempt = new AbortController();
  readonly #placing = Promise.withResolvers<void>();

  constructor({ id, question, context }: AskedAnswer, start: AnswerStart, now: number) {
    this.id = id;
    this.question = question;
    this.context = context;
    this.origin = start.origin;
    this.replyTo = start.replyTo;
    this.questionMessageId = start.questionMessageId ?? start.replyTo;
    this.takenOverIds = start.takenOverIds ?? [];
    this.replacedAnswerId = start.replacedAnswerId;
    this.removedIds = start.removedIds ?? [];
    this.prefix = start.prefix ?? '';
    this.prefixExtras = start.prefixExtras ?? {};
    this.written = start.written;
    this.markedIds = new Set(start.markedIds);
    this.askedAt = now;
    this.heldUntil = now + (start.heldMs ?? 0);
  }

  get chatTopic(): AnswerContext['chatTopic'] {
    return this.context.chatTopic;
  }

  get userId(): number {
    return this.context.user.id;
  }

  /** Id of the question of compared answers, which are written, and stopped, at the same time. */
  get batch(): number | undefined {
    return this.prefixExtras.comparison ? this.question.id : undefined;
  }

  /** It is the text of a reminder, which is only sent. */
  get isReminder(): boolean {
    return this.written !== undefined && this.question.extras.taskRun?.kind === 'reminder';
  }

  /** The user is not waiting for a model to begin it: a run of a task, or an answer that is already written. */
  get staysQueued(): boolean {
    const isRun = this.question.extras.taskRun !== undefined;
    return this.written !== undefined || (isRun && ORIGINS[this.origin].runStaysQueued);
  }

  /** A later message of the user may still change the question. */
  get questionMayChange(): boolean {
    const isBegun = this.written !== undefined || this.replacedAnswerId !== undefined || this.prefix !== '';
    // The user has read the beginning that an earlier process has shown.
    const isSeen = this.isResumption && this.takenOverIds.length > 0;
    return ORIGINS[this.origin].questionMayChange && !isBegun && !isSeen && this.batch === undefined;
  }

  /** It counts as a resumption, of which an answer has a limited number. */
  get isResumption(): boolean {
    return ORIGINS[this.origin].isResumption && this.written === undefined;
  }

  /** A message of the answer is sent before the model writes, in the order of the models. */
  get isShownAtOnce(): boolean {
    const isUnseen = this.takenOverIds.length === 0 && this.replacedAnswerId === undefined;
    return ORIGINS[this.origin].isShownAtOnce || (this.isResumption && this.batch !== undefined && isUnseen);
  }

  /** Its messages show an earlier text until it has text of its own. */
  get isReplacing(): boolean {
    const isAnotherAttempt = this.isShownAtOnce && this.takenOverIds.length > 0;
    return isAnotherAttempt || this.replacedAnswerId !== undefined || this.prefix !== '';
  }

  get state(): AnswerState {
    return this.#state;
  }

  /** Resolves when the chat has a message of the answer, or the job has ended, also by another process's takeover. */
  get placed(): Promise<void> {
    return this.#placing.promise;
  }

  place(): void {
    this.#placing.resolve();
  }

  /** Goes on to another state. @throws if that does not follow the current one. */
  enter(state: AnswerState): void {
    if (!TRANSITIONS[this.#state].includes(state))
      throw new Error(`An answer can't become ${state} when it is ${this.#state}.`);
    this.#state = state;
  }

  /** A model is asked, or its text arrives. */
  get isBeingGenerated(): boolean {
    return this.#state === 'generating' || this.#state === 'streaming';
  }

  /** Its generation has not ended. */
  get isUnwritten(): boolean {
    return this.isBeingGenerated || this.#state === 'queued';
  }

  /** Starts an attempt. @returns a signal that aborts with a `WorkStoppedError` when the question changes. */
  generate(): AbortSignal {
    this.enter('generating');
    this.#attempt = new AbortController();
    return this.#attempt.signal;
  }

  /** Records the end of the generation. @param finishReason as in `GeneratedAnswer`. */
  finish(finishReason: string): void {
    this.enter(toEndedState(finishReason));
  }

  /**
   * Tells that the question has changed; what is being generated begins again.
   * @returns false if the answer to the former question is already complete.
   */
  restart(): boolean {
    if (this.isBeingGenerated) this.#attempt.abort(new WorkStoppedError('new-question'));
    return this.isUnwritten;
  }
}
