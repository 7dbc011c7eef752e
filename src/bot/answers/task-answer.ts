import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import { isNothingNew } from '../../core/tasks/index.ts';
import { formatTime } from '../../texts/moment.ts';
import type { ActionButton } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { ReplyPreface } from '../reply-stream/page-plan.ts';
import type { Texts } from '../texts/locales.ts';
import type { GeneratedAnswer } from './generated-answer.ts';

type TaskRun = NonNullable<MessageExtras['taskRun']>;

/** Returns the text of a reminder as an answer. */
export function toReminder({ content: text, extras: { taskRun } }: StoredMessage): GeneratedAnswer {
  return { text, finishReason: 'stop', failure: undefined, extras: taskRun ? { taskRun } : {} };
}

/** Returns whether nothing is shown of the answer until it is complete. */
export function isQuietTask({ extras }: Pick<StoredMessage, 'extras'>): boolean {
  return extras.taskRun?.isQuiet === true;
}

/** Returns whether a task has nothing to report, so that its answer is not sent. */
export function isSilent(question: Pick<StoredMessage, 'extras'>, { text, failure }: GeneratedAnswer): boolean {
  return isQuietTask(question) && failure === undefined && isNothingNew(text);
}

/** Returns the line that says that a task is the reason of a message; undefined for other messages. */
export function toTaskHeading(
  { clock }: BotServices,
  {
    texts,
    question,
    userName,
  }: {
    readonly texts: Texts;
    readonly question: Pick<StoredMessage, 'extras'>;
    /** Only in groups. */
    readonly userName?: string | undefined;
  },
): string | undefined {
  const run = question.extras.taskRun;
  if (!run) return undefined;
  const { reminder, heading } = texts.tasks;
  const name = run.kind === 'reminder' ? reminder(userName) : run.name;
  const time = formatTime(texts.locale, Date.parse(run.dueAt), clock.now(), run.timeZone);
  if (run.isManual) return heading.byHand(name);
  if (run.missedCount > 0) return heading.missed(name, time, run.missedCount);
  return (run.isLate ? heading.late : heading.onTime)(name, time);
}

/** Adds the heading of a task to the quote above an answer. */
export function withHeading(heading: string | undefined, preface: ReplyPreface): ReplyPreface {
  if (heading === undefined) return preface;
  const { quote } = preface;
  return { ...preface, quote: { isFolded: false, ...quote, text: quote ? `${heading}\n${quote.text}` : heading } };
}

/** Returns the buttons below a reminder, which send it again later. */
export function toSnoozeButtons({ tasks: { buttons } }: Texts, { taskId }: TaskRun): readonly ActionButton[] {
  const toButton = (text: string, minutes: number): ActionButton => ({
    text,
    action: { kind: 'snooze-task', taskId, minutes },
  });
  return [toButton(buttons.inMinutes, 10), toButton(buttons.inAnHour, 60), toButton(buttons.tomorrow, 1440)];
}

/** Returns the buttons below the failure of a task. */
export function toTaskButtons({ tasks: { buttons } }: Texts, { taskId }: TaskRun): readonly ActionButton[] {
  return [
    { text: buttons.pause, action: { kind: 'pause-task', taskId } },
    { text: buttons.delete, action: { kind: 'delete-task', taskId } },
  ];
}
