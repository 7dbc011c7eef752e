import { pluralOf } from '../../../texts/plural.ts';

const tasks = (count: number) => pluralOf('en', count, { one: 'task', other: 'tasks' });
const times = (count: number) => pluralOf('en', count, { one: 'time', other: 'times' });
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

export const english = {
  command: 'Reminders and scheduled tasks',
  remindCommand: 'Reminder: /remind 20m tea',
  buttons: {
    runNow: '▶️ Run now',
    pause: '⏸ Pause',
    resume: '▶️ Resume',
    changeText: '✏️ Text',
    changeTime: '🕐 Time',
    history: 'History',
    delete: '🗑 Delete',
    deleteForGood: 'Yes, delete',
    keep: 'Keep it',
    beQuiet: 'Only if there is news',
    beLoud: 'Answer every time',
    rightZone: (timeZone: string) => `✓ ${timeZone} is right`,
    otherZone: 'Other time zone',
    otherCity: 'Another city…',
    toTask: 'Change or delete',
  },
  heading: (count: number) => `Your tasks here: ${count}.`,
  headingOfGroup: (count: number) => `Tasks in this group: ${count}.`,
  empty:
    'No tasks here yet. Tell me what to do and when, such as “every weekday at 8 the news about space”, or use /remind 20m tea.',
  gone: 'This task no longer exists.',
  foreign: 'This is not your task.',
  kinds: { reminder: 'Reminder', question: 'Question to the model' },
  of: (name: string) => `Made by ${name}`,
  once: 'Once',
  every: {
    minutes: (count: number) => (count === 1 ? 'Every minute' : `Every ${count} minutes`),
    hours: (count: number) => (count === 1 ? 'Every hour' : `Every ${count} hours`),
    days: (count: number) => (count === 1 ? 'Every day' : `Every ${count} days`),
    weekdays: 'Every weekday',
    /** `days` may be empty. */
    weeks: (count: number, days: string) =>
      count === 1 ? `Every ${days === '' ? 'week' : days}` : `Every ${count} weeks${days === '' ? '' : ` on ${days}`}`,
    months: (count: number, days: string) =>
      `${count === 1 ? 'Every month' : `Every ${count} months`}${days === '' ? '' : ` on day ${days}`}`,
    lastDay: (count: number) => `${count === 1 ? 'Every month' : `Every ${count} months`} on the last day`,
    /** `nth`: 1 to 5, or -1 for the last one; `weekday`: 0 is Sunday. */
    weekdayOfMonth: (count: number, nth: number, name: string, _weekday: number) =>
      `${count === 1 ? 'Every month' : `Every ${count} months`} on the ${nth === -1 ? 'last' : ORDINALS[nth - 1]} ${name}`,
    years: (count: number) => (count === 1 ? 'Every year' : `Every ${count} years`),
    rule: (rule: string) => `By the rule ${rule}`,
    at: (time: string) => ` at ${time}`,
    count: (count: number) => `, ${times(count)}`,
    until: (day: string) => `, until ${day}`,
  },
  /** Time of a task that runs once. */
  when: (time: string, timeZone: string) => `When: ${time} (${timeZone})`,
  next: (time: string, timeZone: string) => `Next: ${time} (${timeZone})`,
  paused: {
    user: 'Paused.',
    failures: 'Paused after several failures in a row.',
    unreachable: 'Paused: I could not write to this chat or topic any more.',
    'not-allowed': 'Paused: its user may not run tasks here any more.',
  },
  ended: 'Over: no run is left.',
  quiet: 'Sends nothing if there is nothing new.',
  askText: 'Send me the new text of this task.',
  askTime:
    'When? For example “in 2 hours”, “18:30”, “tomorrow 9:00”, “friday 9:00”, “24.12. 18:00”, “every day 9:00” or “every weekday 8:00”.',
  unknownTime: 'I don’t understand this time.',
  noText: 'What should I remind you of?',
  textTooLong: (max: number) => `This text is too long: the limit is ${max} characters.`,
  changed: 'Changed.',
  starts: 'It starts now.',
  isRunning: 'It is running already.',
  nothingLeft: 'No run is left: give it a new time.',
  isPaused: 'Paused.',
  isResumed: 'Resumed.',
  askDeletion: 'Delete this task with its history?',
  deleted: 'Deleted.',
  history: (name: string) => `Runs of “${name}”, the newest first:`,
  noRuns: 'This task has not run yet.',
  runStates: {
    due: '⏳ waiting',
    claimed: '⏳ waiting',
    started: '✍️ running',
    done: '✅ done',
    quiet: '✅ nothing new',
    failed: '⚠️ failed',
    unclear: '❔ perhaps sent',
    skipped: '⏭ skipped',
  },
  reasons: {
    quota: 'limit reached',
    unreachable: 'the chat was not reachable',
    'not-allowed': 'not allowed any more',
    'not-started': 'could not be started',
    error: 'error',
    interrupted: 'I was restarted',
    'no-model': 'no model was connected',
  },
  missed: (count: number) => `${count} more missed`,
  byHand: 'by hand',
  hereItIs: 'This is the message of that run.',
  messageGone: 'The message of that run is gone.',
  scheduled: (kind: 'reminder' | 'question'): string => (kind === 'reminder' ? '⏰ Reminder set' : '⏰ Task scheduled'),
  guessedZone: (timeZone: string, time: string) =>
    `I guessed your time zone from your language: ${timeZone}, where it is ${time} now. Is that right?`,
  zoneSet: (timeZone: string) => `Time zone: ${timeZone}.`,
  askZone: 'Which time zone should your tasks use?',
  askCity: 'Send me a large city in your time zone, in English, or the name of the time zone, such as Europe/Berlin.',
  unknownCity: 'I don’t know this city. Send me a larger one, in English, or a name such as Europe/Berlin.',
  snoozed: (time: string) => `I’ll remind you again: ${time}.`,
  howToRemind: [
    'Write the time, then the text:',
    '/remind 20m tea',
    '/remind 18:30 call Ann',
    '/remind tomorrow 9:00 pay the rent',
    '/remind every weekday 8:00 stand-up',
    '',
    '/tasks shows what is planned.',
  ].join('\n'),
  problems: {
    past: 'This time is in the past.',
    tooFar: 'This time is too far in the future.',
    tooOften: (minutes: number) => `This repeats too often: at most every ${minutes} minutes.`,
    tooMany: (count: number) => `You already have ${tasks(count)}, which is the limit. Delete one in /tasks first.`,
    noneAllowed: 'Your plan includes no tasks.',
    badRule: 'I can’t repeat a task like this.',
    off: 'The admins of this group have switched tasks off.',
    comments: 'Tasks don’t work in comments of a channel.',
  },
  notices: {
    quota: (name: string) => `The task “${name}” did not run: your limit is reached.`,
    paused: (name: string, reason: string) => `The task “${name}” does not run any more. ${reason}`,
    'not-started': (name: string) => `The task “${name}” could not run. You can start it again.`,
    'no-model': (name: string) => `The task “${name}” did not run: no model is connected.`,
    unreachable: (name: string, isInGroup: boolean) =>
      isInGroup
        ? `The task “${name}” in a group does not run any more: I can’t write there.`
        : `The task “${name}” does not run any more: its topic is gone. Make it anew in another topic.`,
    'not-allowed': (name: string) =>
      `The task “${name}” in a group does not run any more: you have left it, or its admins have switched tasks off.`,
  },
};
