import type { Page } from '../../page.ts';
import { TasksView } from './tasks-view.tsx';

/** Reminders of the user, and questions that models answer at later times. */
export const tasksPage: Page = {
  name: 'tasks',
  title: { en: 'Tasks', ru: 'Задачи' },
  icon: 'clock',
  isForAdmins: false,
  View: TasksView,
};
