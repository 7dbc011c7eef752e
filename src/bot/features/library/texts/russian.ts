import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const results = (count: number) =>
  pluralOf('ru', count, { one: 'результат', few: 'результата', many: 'результатов', other: 'результата' });

export const russian: typeof english = {
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
};
