/** Texts about runs of tasks, in English. */
export const englishTasks = {
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
};
