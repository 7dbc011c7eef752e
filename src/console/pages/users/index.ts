import type { Page } from '../../page.ts';
import { UsersView } from './users-view.tsx';

/** Users: their plans, access, budgets, keys and usage. */
export const usersPage: Page = {
  name: 'users',
  title: { en: 'Users', ru: 'Пользователи' },
  icon: 'users',
  isForAdmins: true,
  View: UsersView,
};
