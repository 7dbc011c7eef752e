import type { english } from './english.ts';

export const russian: typeof english = {
  time: 'Время',
  admin: 'Администратор',
  action: 'Действие',
  subject: 'Над чем',
  reason: 'Заметка',
  key: (id) => `ключом ${id}`,
  empty: 'Администраторы пока ничего не делали.',
};
