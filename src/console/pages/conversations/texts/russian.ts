import { pluralOf } from '../../../../bot/texts/plural.ts';
import { MAX_COUNTED } from '../max-counted.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
  shown: 'Показать',
  states: { open: 'Разговоры', archived: 'Архив' },
  none: 'Разговоров здесь ещё нет. Напишите боту, и начнётся первый.',
  noneFound: (search) => `Нет разговоров с «${search}».`,
  untitled: 'Без названия',
  facts: (count, time) =>
    count < MAX_COUNTED
      ? `${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}, последнее ${time}`
      : `больше ${MAX_COUNTED - 1} сообщений, последнее ${time}`,
  current: 'текущий',
  back: 'Все разговоры',
  rename: 'Переименовать',
  title: 'Название',
  export: (format) => `Скачать ${format}`,
  deleteBody: (title) =>
    `Все сообщения разговора «${title}» будут удалены навсегда. Сообщения в чате Telegram останутся.`,
  gone: 'Такого разговора у вас нет. Возможно, он удалён.',
  problems: {
    conflict: 'В этом разговоре ещё пишется ответ. Дождитесь его или отправьте боту /stop.',
  },
  you: 'Вы',
  answer: 'Ответ',
  photos: (count) => `${count} фото`,
  earlier: 'Более ранние сообщения',
  showAll: 'Показать сообщение целиком',
  messages: 'Сообщения',
};
