import { defineTexts } from '../../../../texts/define-texts.ts';
import { pluralOf } from '../../../../texts/plural.ts';

/** The service counts messages of a conversation up to this number. */
const MAX_COUNTED = 1000;

export const texts = defineTexts({
  en: {
    shown: 'Show',
    states: { open: 'Conversations', archived: 'Archive' },
    none: 'No conversations here yet. Write to the bot to begin one.',
    noneFound: (search: string) => `No conversation matches “${search}”.`,
    untitled: 'Without a title',
    facts: (count: number, time: string) =>
      count < MAX_COUNTED
        ? `${pluralOf('en', count, { one: 'message', other: 'messages' })}, the last one ${time}`
        : `more than ${MAX_COUNTED - 1} messages, the last one ${time}`,
    current: 'current',
    back: 'All conversations',
    rename: 'Rename',
    title: 'Title',
    export: (format: string) => `Save as ${format}`,
    deleteBody: (title: string) =>
      `All messages of “${title}” are deleted for good. The messages in the Telegram chat stay.`,
    gone: 'You have no such conversation. It may have been deleted.',
    /** By the codes of refusals. */
    problems: {
      conflict: 'An answer is being written in this conversation. Wait until it is complete, or send /stop to the bot.',
    },
    you: 'You',
    answer: 'Answer',
    photos: (count: number) => pluralOf('en', count, { one: 'photo', other: 'photos' }),
    earlier: 'Earlier messages',
    showAll: 'Show the whole message',
    messages: 'Messages',
  },
  ru: {
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
  },
});
