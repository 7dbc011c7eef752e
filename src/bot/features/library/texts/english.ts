import { pluralOf } from '../../../texts/plural.ts';

export const english = {
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
};
