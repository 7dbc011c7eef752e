import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { GeneratedAnswer } from './generated-answer.ts';

/**
 * Start of an answer job, requested by a user or by the recovery after a restart. `replyTo` is the Telegram message
 * that the answer replies to, `questionMessageId` the one that contains the question.
 */
export type AnswerStart = { readonly replyTo: number | undefined } & (
  | NewAnswer
  | ComparedAnswer
  | RetriedAnswer
  | AnswerVariant
  | ChosenVariant
  | EditedQuestion
  | ContinuedAnswer
  | ResumedAnswer
  | TaskAnswer
);

/** The first answer to a question. */
interface NewAnswer {
  readonly kind: 'new';
  readonly questionMessageId: number;
  /** Telegram messages of the user that carry a reaction for "waiting". */
  readonly markedIds: readonly number[];
  /** Time to wait for further parts of the question, in milliseconds. */
  readonly heldMs: number;
}

/** One of several answers that models write to a question at the same time. */
interface ComparedAnswer {
  readonly kind: 'compared';
  /** Its first message is sent after this. */
  readonly after: Promise<void> | undefined;
  readonly questionMessageId: number | undefined;
  /** Messages of a failed attempt, which the answer overwrites. */
  readonly takenOverIds: readonly number[];
  readonly prefix: '';
  readonly prefixExtras: MessageExtras;
}

/** Another attempt after a failed answer. */
interface RetriedAnswer {
  readonly kind: 'retry';
  /** Telegram messages of the failed attempt, which are removed when the new answer shows. */
  readonly replacedIds: readonly number[];
}

/** Another answer to the same question, in the messages of the first. */
interface AnswerVariant {
  readonly kind: 'variant';
  readonly replacedAnswerId: number;
  readonly prefix: '';
  /** Of the new answer: a variant of a compared answer is compared as well. */
  readonly prefixExtras: MessageExtras;
}

/** A stored variant that is shown again. */
interface ChosenVariant {
  readonly kind: 'chosen-variant';
  readonly takenOverIds: readonly number[];
  readonly generated: GeneratedAnswer;
}

/** The answer to an edited question, in the messages of the answer to the previous version. */
interface EditedQuestion {
  readonly kind: 'edited';
  readonly questionMessageId: number;
  readonly replacedAnswerId: number;
}

/** A continuation of an answer, in its messages: after an early end, or after the user's decision about a tool call. */
interface ContinuedAnswer {
  readonly kind: 'continuation';
  readonly questionMessageId?: number | undefined;
  readonly takenOverIds: readonly number[];
  readonly replacedAnswerId?: number | undefined;
  readonly prefix: string;
  readonly prefixExtras: MessageExtras;
}

/** Answer that an earlier process has started. */
interface ResumedAnswer {
  readonly kind: 'resumed';
  readonly questionMessageId: number | undefined;
  readonly takenOverIds: readonly number[];
  readonly replacedAnswerId: number | undefined;
  readonly prefix: string;
  readonly prefixExtras: MessageExtras;
  /** Set if the answer is completely written; undefined if a model has to continue it. */
  readonly generated: GeneratedAnswer | undefined;
}

/** The answer to the question of a task, in a message of its own. */
interface TaskAnswer {
  readonly kind: 'task';
  /** Set for a reminder, which needs no model. */
  readonly generated: GeneratedAnswer | undefined;
}

/** What follows from the kind of a start. */
interface Origin {
  /** A later message of the user changes the question as long as nothing is written. */
  readonly questionMayChange: boolean;
  /** The answer to a task is not dropped while it waits: the user is not waiting for it. */
  readonly runStaysQueued: boolean;
  /** Counted, unless the answer is already written: a limited number of processes may crash while they generate it. */
  readonly isResumption: boolean;
  /** A message of it is sent before the model writes, in the order of the models. */
  readonly isShownAtOnce: boolean;
}

const NOTHING_SPECIAL: Origin = {
  questionMayChange: false,
  runStaysQueued: false,
  isResumption: false,
  isShownAtOnce: false,
};

const ORIGINS: { readonly [kind in AnswerStart['kind']]: Origin } = {
  new: { ...NOTHING_SPECIAL, questionMayChange: true },
  retry: { ...NOTHING_SPECIAL, questionMayChange: true },
  // A second edit makes another branch.
  edited: NOTHING_SPECIAL,
  variant: NOTHING_SPECIAL,
  continuation: NOTHING_SPECIAL,
  'chosen-variant': NOTHING_SPECIAL,
  compared: { ...NOTHING_SPECIAL, isShownAtOnce: true },
  task: { ...NOTHING_SPECIAL, questionMayChange: true, runStaysQueued: true },
  resumed: { ...NOTHING_SPECIAL, questionMayChange: true, runStaysQueued: true, isResumption: true },
};

/** Returns the answer in whose messages the new one is written. It is restored if the new one stays empty. */
export function findReplacedAnswer(start: AnswerStart): number | undefined {
  return 'replacedAnswerId' in start ? start.replacedAnswerId : undefined;
}

/** Returns the answer if it is already written. */
export function findGenerated(start: AnswerStart): GeneratedAnswer | undefined {
  return 'generated' in start ? start.generated : undefined;
}

/**
 * Returns whether the answer is begun or delivered without a user who waits for a model: a run of a task, or one that is
 * already written.
 */
export function isBegunAlone(start: AnswerStart, { extras }: Pick<StoredMessage, 'extras'>): boolean {
  const isRun = extras.taskRun !== undefined && ORIGINS[start.kind].runStaysQueued;
  return isRun || findGenerated(start) !== undefined;
}

/** Returns whether the answer is the text of a reminder, which is only sent. */
export function isReminderAnswer(start: AnswerStart, { extras }: Pick<StoredMessage, 'extras'>): boolean {
  return extras.taskRun?.kind === 'reminder' && findGenerated(start) !== undefined;
}

/** Returns the Telegram messages that become messages of the answer, in the order of pages. */
export function listTakenOver(start: AnswerStart): readonly number[] {
  return 'takenOverIds' in start ? start.takenOverIds : [];
}

/** Returns the Telegram messages that are removed when the answer shows. */
export function listReplaced(start: AnswerStart): readonly number[] {
  return start.kind === 'retry' ? start.replacedIds : [];
}

/** Returns the text to continue and its extras; both are empty for an answer without a prefix. */
export function findPrefix(start: AnswerStart): { readonly prefix: string; readonly prefixExtras: MessageExtras } {
  if (!('prefix' in start)) return { prefix: '', prefixExtras: {} };
  return { prefix: start.prefix, prefixExtras: start.prefixExtras };
}

/** Returns the Telegram message that contains the question, if known. */
export function findQuestionMessageId(start: AnswerStart): number | undefined {
  return ('questionMessageId' in start ? start.questionMessageId : undefined) ?? start.replyTo;
}

/** Returns the user's Telegram messages that carry a reaction for "waiting". */
export function listMarked(start: AnswerStart): readonly number[] {
  if (start.kind === 'new') return start.markedIds;
  // Reactions that an earlier process has set are not recorded; only the question's message is known.
  return start.kind === 'resumed' && start.questionMessageId !== undefined ? [start.questionMessageId] : [];
}

/** Returns whether a later message of the user may still change the question. */
export function mayQuestionChange(start: AnswerStart): boolean {
  const { prefix, prefixExtras } = findPrefix(start);
  const isBegun = findGenerated(start) !== undefined || prefix !== '' || findReplacedAnswer(start) !== undefined;
  return ORIGINS[start.kind].questionMayChange && !isBegun && !prefixExtras.comparison;
}

/** Returns whether the start counts as a resumption, of which an answer has a limited number. */
export function countsAsResumption(start: AnswerStart): boolean {
  return ORIGINS[start.kind].isResumption && findGenerated(start) === undefined;
}

/** Returns whether a message of the answer is sent before the model writes, in the order of the models. */
export function isShownAtOnce(start: AnswerStart): boolean {
  return ORIGINS[start.kind].isShownAtOnce;
}
