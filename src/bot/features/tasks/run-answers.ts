import type { MessageExtras, StoredMessage } from '../../../core/conversations/index.ts';
import { isNothingNew } from '../../../core/tasks/index.ts';
import { formatTime } from '../../../texts/moment.ts';
import type { GeneratedAnswer } from '../../answers/answer.ts';
import type { AnswerExtension, AnsweredQuestion } from '../../kit/feature.ts';
import type { ActionButton } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Texts } from '../../texts/locales.ts';

type TaskRun = NonNullable<MessageExtras['taskRun']>;

/** Creates what sets answers to runs of tasks apart from others. */
export function createRunAnswers(services: BotServices): AnswerExtension {
  return {
    isQuiet,
    isSilent: (question, { text, failure }) => isQuiet(question) && failure === undefined && isNothingNew(text),
    heading: (answered) => toHeading(services, answered),
    answerButtons({ texts, question: { extras } }) {
      return extras.taskRun?.kind === 'reminder' ? toSnoozeButtons(texts, extras.taskRun) : undefined;
    },
    failureButtons({ texts, question: { extras } }) {
      if (!extras.taskRun) return undefined;
      const isReminder = extras.taskRun.kind === 'reminder';
      return { row: isReminder ? [] : toTaskButtons(texts, extras.taskRun), isAll: isReminder };
    },
  };
}

/** Returns the text of a reminder as an answer. */
export function toReminder({ content: text, extras: { taskRun } }: StoredMessage): GeneratedAnswer {
  return { text, finishReason: 'stop', failure: undefined, extras: taskRun ? { taskRun } : {} };
}

function isQuiet({ extras }: StoredMessage): boolean {
  return extras.taskRun?.isQuiet === true;
}

/** Returns the line that says that a task is the reason of a message; undefined for other messages. */
function toHeading({ clock }: BotServices, { texts, question, userName }: AnsweredQuestion): string | undefined {
  const run = question.extras.taskRun;
  if (!run) return undefined;
  const { reminder, heading } = texts.tasks;
  const name = run.kind === 'reminder' ? reminder(userName) : run.name;
  const time = formatTime(texts.locale, Date.parse(run.dueAt), clock.now(), run.timeZone);
  if (run.isManual) return heading.byHand(name);
  if (run.missedCount > 0) return heading.missed(name, time, run.missedCount);
  return (run.isLate ? heading.late : heading.onTime)(name, time);
}

/** Returns the buttons below a reminder, which send it again later. */
function toSnoozeButtons({ tasks: { buttons } }: Texts, { taskId }: TaskRun): readonly ActionButton[] {
  const toButton = (text: string, minutes: number): ActionButton => ({
    text,
    action: { kind: 'snooze-task', taskId, minutes },
  });
  return [toButton(buttons.inMinutes, 10), toButton(buttons.inAnHour, 60), toButton(buttons.tomorrow, 1440)];
}

/** Returns the buttons below the failure of a task. */
function toTaskButtons({ tasks: { buttons } }: Texts, { taskId }: TaskRun): readonly ActionButton[] {
  return [
    { text: buttons.pause, action: { kind: 'pause-task', taskId } },
    { text: buttons.delete, action: { kind: 'delete-task', taskId } },
  ];
}
