import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    time: 'Time',
    admin: 'Admin',
    action: 'Action',
    subject: 'About',
    reason: 'Note',
    key: (id: number) => `by key ${id}`,
    empty: 'No admin has done anything yet.',
  },
  ru: {
    time: 'Время',
    admin: 'Администратор',
    action: 'Действие',
    subject: 'Над чем',
    reason: 'Заметка',
    key: (id) => `ключом ${id}`,
    empty: 'Администраторы пока ничего не делали.',
  },
});
