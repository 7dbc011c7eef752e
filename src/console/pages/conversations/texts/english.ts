import { pluralOf } from '../../../../bot/texts/plural.ts';

export const english = {
  shown: 'Show',
  states: { open: 'Conversations', archived: 'Archive' },
  none: 'No conversations here yet. Write to the bot to begin one.',
  noneFound: (search: string) => `No conversation has “${search}” in it.`,
  untitled: 'Without a title',
  facts: (count: number, time: string) =>
    `${pluralOf('en', count, { one: 'message', other: 'messages' })}, the last one ${time}`,
  current: 'current',
  back: 'All conversations',
  rename: 'Rename',
  title: 'Title',
  export: (format: string) => `${format}: save the conversation as a file`,
  deleteTitle: 'Delete for good?',
  deleteBody: (title: string) =>
    `All messages of “${title}” are deleted for good. The messages in the Telegram chat stay.`,
  deleted: 'Deleted.',
  you: 'You',
  answer: 'Answer',
  photos: (count: number) => pluralOf('en', count, { one: 'photo', other: 'photos' }),
  messages: 'Messages',
};
