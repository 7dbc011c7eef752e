import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const results = (count: number) =>
  pluralOf('ru', count, { one: 'результат', few: 'результата', many: 'результатов', other: 'результата' });

export const texts = defineTexts({
  en: {
    command: 'Search messages, documents, files',
    buttons: { conversation: 'Conversation', search: 'New search' },
    askSearch: 'What are you looking for? Send me some words of it.',
    found: (count: number, search: string) =>
      `🔎 ${pluralOf('en', count, { one: 'result', other: 'results' })} for “${search}”`,
    /** `count`: number of results that are shown at most. */
    best: (count: number, search: string) => `🔎 The best ${count} results for “${search}”`,
    noneFound: (search: string, isGroup: boolean) =>
      `🔎 Nothing found for “${search}”. I search ${
        isGroup
          ? 'questions, answers, documents and recordings in this chat'
          : 'your questions, my answers, documents, recordings and stored files'
      }.`,
    /** `areMore`: the number is that of the first ones. */
    indexing: (count: number, areMore: boolean) =>
      `⏳ ${areMore ? 'More than ' : ''}${pluralOf('en', count, { one: 'text is', other: 'texts are' })} still being indexed and can’t be found yet.`,
    reading: (count: number) =>
      `⏳ ${pluralOf('en', count, { one: 'file is', other: 'files are' })} still being read and can be found by name only until then.`,
    gone: 'This no longer exists.',
    asked: 'Question',
    answered: 'Answer',
  },
  ru: {
    command: 'Поиск по перепискам и файлам',
    buttons: { conversation: 'Разговор', search: 'Новый поиск' },
    askSearch: 'Что найти? Пришлите несколько слов.',
    found: (count, search) => `🔎 ${results(count)} по запросу «${search}»`,
    best: (count, search) => `🔎 Лучшие ${results(count)} по запросу «${search}»`,
    noneFound: (search, isGroup) =>
      `🔎 По запросу «${search}» ничего не найдено. Я ищу ${
        isGroup
          ? 'в вопросах, заданных здесь, в моих ответах, в документах и аудиозаписях к ним'
          : 'в ваших вопросах, в моих ответах, документах, аудиозаписях и сохранённых файлах'
      }.`,
    indexing: (count, areMore) =>
      `⏳ Ещё индексируются и пока не находятся: ${areMore ? 'более ' : ''}${pluralOf('ru', count, { one: 'текст', few: 'текста', many: 'текстов', other: 'текста' })}.`,
    reading: (count) =>
      `⏳ Ещё читаются и пока находятся только по названию: ${pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' })}.`,
    gone: 'Этого больше нет.',
    asked: 'Вопрос',
    answered: 'Ответ',
  },
});
