import { ageOf } from '../../../texts/age.ts';
import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const englishConversations = (count: number) => pluralOf('en', count, { one: 'conversation', other: 'conversations' });
const ENGLISH_AGE = { now: 'now', minute: 'min', hour: 'h', day: 'd', year: 'y' };
const russianConversations = (count: number) =>
  pluralOf('ru', count, { one: 'разговор', few: 'разговора', many: 'разговоров', other: 'разговора' });
const RUSSIAN_AGE = { now: 'сейчас', minute: 'мин', hour: 'ч', day: 'дн', year: 'г' };

export const texts = defineTexts({
  en: {
    commands: {
      new: 'Start a new conversation',
      threads: 'Your conversations: find, delete',
    },
    started: 'New conversation started. I won’t use earlier messages.',
    buttons: {
      continue: 'Continue here',
      rename: 'Rename',
      archive: 'Archive',
      unarchive: 'Unarchive',
      export: 'Export',
      continueByApi: 'Continue by API',
      share: 'Share as a page',
      delete: 'Delete',
      deleteForGood: 'Yes, delete it',
      keep: 'Keep it',
      archived: 'Archived',
      all: 'All conversations',
    },
    heading: (count: number, isGroup: boolean) =>
      `${isGroup ? 'Conversations here' : 'Your conversations'} (${count}). ✓ marks the current one; the number is its messages.`,
    headingArchived: (count: number) => `Archived: ${englishConversations(count)}.`,
    found: (count: number, search: string) => `${englishConversations(count)} with “${search}”.`,
    noneFound: (search: string) => `No conversation matches “${search}”.`,
    empty: 'No conversations here yet. Send me a message to start one.',
    emptyArchive: 'The archive is empty.',
    age: (ms: number) => ageOf(ms, ENGLISH_AGE),
    facts: (count: number, ageMs: number) =>
      `${pluralOf('en', count, { one: 'message', other: 'messages' })}, ${ageMs < 60_000 ? 'the last one just now' : `the last one ${ageOf(ageMs, ENGLISH_AGE)} ago`}`,
    isCurrent: 'This is the current conversation.',
    isArchived: 'It is archived.',
    asked: (isGroup: boolean): string => (isGroup ? 'Asked' : 'You'),
    answered: 'Answer',
    photo: '[photo]',
    continued: (title: string) => `“${title}” continues here. This is where we were:`,
    continuedInTopic: (title: string) => `“${title}” continues in its topic.`,
    noAnswerYet: 'This conversation has no answer to continue yet.',
    continueByApi: (id: string, url: string) =>
      `To continue this conversation by API, send its next message to\n\n${url}\n\nwith this previous_response_id:\n\n${id}\n\nIt works with your own API keys (/key). What you write there appears here.`,
    gone: 'This conversation no longer exists.',
    askSearch: 'Which conversation? Send me words from its title or its messages.',
    askTitle: 'Send me the new title.',
    badTitle: 'A title needs words. Send me another one.',
    renamed: 'Renamed.',
    askDeletion: 'Delete this conversation for good? I will forget all its messages. The messages in this chat stay.',
    deleted: (title: string) => `“${title}” is deleted.`,
    busy: 'An answer is being written in it. Wait until it is finished, or use /stop.',
    onlyOwner: 'Only the user who started this conversation and admins of this group can do that.',
    notYours: 'Someone else started this conversation. Send me your own question.',
  },
  ru: {
    commands: {
      new: 'Начать новый разговор',
      threads: 'Ваши разговоры: найти, удалить',
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
    headingArchived: (count) => `В архиве: ${russianConversations(count)}.`,
    found: (count, search) => `${russianConversations(count)} с «${search}».`,
    noneFound: (search) => `Нет разговоров с «${search}».`,
    empty: 'Разговоров здесь ещё нет. Напишите мне, и начнётся первый.',
    emptyArchive: 'Архив пуст.',
    age: (ms) => ageOf(ms, RUSSIAN_AGE),
    facts: (count, ageMs) =>
      `${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}, последнее ${ageMs < 60_000 ? 'только что' : `${ageOf(ageMs, RUSSIAN_AGE)} назад`}`,
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
  },
});
