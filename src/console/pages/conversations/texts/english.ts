import { pluralOf } from '../../../../bot/texts/plural.ts';
import { MAX_COUNTED } from '../max-counted.ts';

export const english = {
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
};
