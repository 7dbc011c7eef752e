import type { englishTasks } from './english-tasks.ts';

/** Texts about runs of tasks, in Russian. */
export const russianTasks: typeof englishTasks = {
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
};
