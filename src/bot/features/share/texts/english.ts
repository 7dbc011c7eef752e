import { pluralOf } from '../../../texts/plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });
const pictures = (count: number) => pluralOf('en', count, { one: 'picture', other: 'pictures' });

export const english = {
  command: 'Share this conversation as a page',
  buttons: {
    now: 'Make the page',
    withImages: (count: number) => (count === 1 ? 'With the picture' : `With ${pictures(count)}`),
    pages: (count: number) => `Shared pages: ${count}`,
  },
  onlyPrivate:
    'In groups I share no conversations: they hold the words of others. Write /share to me in our private chat.',
  nothing: 'Nothing was said in this conversation yet. Ask me something, then /share makes a page of it.',
  ask: (title: string, count: number) =>
    `Share “${title}” as a page? Anyone with the link sees:\n\n• ${messages(count)}, as they are now. What comes later is not added.`,
  nameless: '• No names, no accounts, no files, nothing of what models thought.',
  pictures: (count: number, limit: number) =>
    count > limit
      ? `• Your ${pictures(count)} only if you say so below, the newest ${limit} of them.`
      : `• Your ${pictures(count)} only if you say so below.`,
  removable: 'You get a key that deletes the page, and can let it expire.',
  unreachable: (url: string) =>
    `⚠️ The link will begin with ${url} and open only where this service runs. The operator can change that: PUBLIC_URL in the settings is the address that others reach.`,
  making: 'Making the page…',
  tooMany: (limit: number) => `You have ${limit} shared pages, the maximum. Delete one first.`,
  unknown: 'There is no such page. Perhaps it has expired, or was deleted.',
  taken: (title: string) => `“${title}” continues here, in private. This is where it was:`,
};
