import { pluralOf } from '../../../../bot/texts/plural.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
  shown: 'Показать',
  states: { open: 'Разговоры', archived: 'Архив' },
  none: 'Разговоров здесь ещё нет. Напишите боту, и начнётся первый.',
  noneFound: (search) => `Нет разговоров с «${search}».`,
  untitled: 'Без названия',
  facts: (count, time) =>
    `${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}, последнее ${time}`,
  current: 'текущий',
  back: 'Все разговоры',
  rename: 'Переименовать',
  title: 'Название',
  export: (format) => `${format}: сохранить разговор в файл`,
  deleteTitle: 'Удалить навсегда?',
  deleteBody: (title) =>
    `Все сообщения разговора «${title}» будут удалены навсегда. Сообщения в чате Telegram останутся.`,
  deleted: 'Удалено.',
  you: 'Вы',
  answer: 'Ответ',
  photos: (count) => `${count} фото`,
  messages: 'Сообщения',
};
