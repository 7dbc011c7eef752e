import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { GeneratedAnswer } from './generated-answer.ts';

/**
 * Request that starts an answer job: `question`: the first answer; `comparison`: one of several models to one question;
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

/** Start of an answer job. */
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
  /** The first message of the answer is sent after this. Default at once. */
  readonly after?: Promise<void> | undefined;
}

/** What follows from the origin of an answer. */
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
 * Returns whether the answer is begun or delivered without a user who waits for a model: a run of a task, or one that is
 * already written.
 */
export function isBegunAlone({ origin, written }: AnswerStart, { extras }: Pick<StoredMessage, 'extras'>): boolean {
  return written !== undefined || (extras.taskRun !== undefined && ORIGINS[origin].runStaysQueued);
}

/** Returns whether the answer is the text of a reminder, which is only sent. */
export function isReminderAnswer({ written }: AnswerStart, { extras }: Pick<StoredMessage, 'extras'>): boolean {
  return written !== undefined && extras.taskRun?.kind === 'reminder';
}

/** Returns whether a later message of the user may still change the question. */
export function mayQuestionChange({
  origin,
  written,
  replacedAnswerId,
  prefix = '',
  prefixExtras,
}: AnswerStart): boolean {
  const isBegun = written !== undefined || replacedAnswerId !== undefined || prefix !== '';
  return ORIGINS[origin].questionMayChange && !isBegun && !prefixExtras?.comparison;
}

/** Returns whether the start counts as a resumption, of which an answer has a limited number. */
export function countsAsResumption({ origin, written }: AnswerStart): boolean {
  return ORIGINS[origin].isResumption && written === undefined;
}

/** Returns whether a message of the answer is sent before the model writes, in the order of the models. */
export function isShownAtOnce({ origin }: AnswerStart): boolean {
  return ORIGINS[origin].isShownAtOnce;
}
