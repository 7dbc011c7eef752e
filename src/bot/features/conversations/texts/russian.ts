import { ageOf } from '../../../texts/age.ts';
import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const conversations = (count: number) =>
  pluralOf('ru', count, { one: 'разговор', few: 'разговора', many: 'разговоров', other: 'разговора' });
const AGE = { now: 'сейчас', minute: 'мин', hour: 'ч', day: 'дн', year: 'г' };

export const russian: typeof english = {
  commands: {
    new: 'Начать новый разговор',
    threads: 'Ваши разговоры: продолжить, найти, удалить',
  },
  started: 'Начат новый разговор. Прежние сообщения в нём не учитываются.',
  buttons: {
    continue: 'Продолжить здесь',
    rename: 'Переименовать',
    archive: 'Убрать в архив',
    unarchive: 'Вернуть',
    export: 'Файлом',
    continueByApi: 'Продолжить через API',
    share: 'Поделиться страницей',
    delete: 'Удалить',
    deleteForGood: 'Да, удалить',
    keep: 'Оставить',
    archived: 'Архив',
    all: 'Все разговоры',
  },
  heading: (count, isGroup) =>
    `${isGroup ? 'Разговоры здесь' : 'Ваши разговоры'} (${count}). ✓ — текущий; число — сколько в нём сообщений.`,
  headingArchived: (count) => `В архиве: ${conversations(count)}.`,
  found: (count, search) => `${conversations(count)} с «${search}».`,
  noneFound: (search) => `Нет разговоров с «${search}».`,
  empty: 'Разговоров здесь ещё нет. Напишите мне, и начнётся первый.',
  emptyArchive: 'Архив пуст.',
  age: (ms) => ageOf(ms, AGE),
  facts: (count, ageMs) =>
    `${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}, последнее ${ageMs < 60_000 ? 'только что' : `${ageOf(ageMs, AGE)} назад`}`,
  isCurrent: 'Это текущий разговор.',
  isArchived: 'Он в архиве.',
  asked: (isGroup) => (isGroup ? 'Вопрос' : 'Вы'),
  answered: 'Ответ',
  photo: '[фото]',
  continued: (title) => `«${title}» продолжается здесь. Последние сообщения:`,
  continuedInTopic: (title) => `«${title}» продолжается в своей теме.`,
  noAnswerYet: 'В этом разговоре ещё нет ответа, который можно продолжить.',
  continueByApi: (id, url) =>
    `Чтобы продолжить этот разговор через API, отправьте следующее сообщение на\n\n${url}\n\nс таким previous_response_id:\n\n${id}\n\nПодойдут ваши собственные ключи API (/key). Написанное там появится здесь.`,
  gone: 'Этого разговора больше нет.',
  askSearch: 'Какой разговор? Пришлите слова из его названия или сообщений.',
  askTitle: 'Пришлите новое название.',
  badTitle: 'Названию нужны слова. Пришлите другое.',
  renamed: 'Переименовано.',
  askDeletion: 'Удалить этот разговор навсегда? Я забуду все его сообщения. Сообщения в чате останутся.',
  deleted: (title) => `Разговор «${title}» удалён.`,
  busy: 'В нём сейчас пишется ответ. Дождитесь конца или введите /stop.',
  onlyOwner: 'Это могут только тот, кто начал разговор, и администраторы группы.',
  notYours: 'Этот разговор начал кто-то другой. Напишите мне свой вопрос.',
};
