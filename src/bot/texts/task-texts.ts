import { defineTexts } from '../../texts/define-texts.ts';

/** Texts about runs of tasks. */
export const taskTexts = defineTexts({
  en: {
    reminder: (userName: string | undefined) => (userName === undefined ? 'Reminder' : `Reminder for ${userName}`),
    /** First line of a message that a task sends. */
    heading: {
      onTime: (name: string, time: string) => `⏰ ${name} · ${time}`,
      late: (name: string, time: string) => `⏰ ${name} · planned for ${time}: I was offline`,
      missed: (name: string, time: string, count: number) =>
        `⏰ ${name} · planned for ${time}, and ${count} more missed: I was offline`,
      byHand: (name: string) => `⏰ ${name} · run by hand`,
    },
    buttons: {
      pause: 'Pause task',
      delete: 'Delete task',
      inMinutes: 'Snooze 10 min',
      inAnHour: 'Snooze 1 hour',
      tomorrow: 'Tomorrow',
    },
  },
  ru: {
    reminder: (userName) => (userName === undefined ? 'Напоминание' : `${userName}, напоминание`),
    heading: {
      onTime: (name, time) => `⏰ ${name} · ${time}`,
      late: (name, time) => `⏰ ${name} · по плану ${time}: я был отключён`,
      missed: (name, time, count) => `⏰ ${name} · по плану ${time}, пропущено ещё ${count}: я был отключён`,
      byHand: (name) => `⏰ ${name} · запущено вручную`,
    },
    buttons: {
      pause: 'Приостановить',
      delete: 'Удалить задачу',
      inMinutes: 'Через 10 мин',
      inAnHour: 'Через час',
      tomorrow: 'Завтра',
    },
  },
});
