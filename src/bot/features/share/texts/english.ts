import { pluralOf } from '../../../texts/plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });
const pictures = (count: number) => pluralOf('en', count, { one: 'image', other: 'images' });

export const english = {
  command: 'Share this conversation as a page',
  buttons: {
    now: 'Create page',
    withImages: (count: number) => (count === 1 ? 'With the image' : `With ${pictures(count)}`),
    pages: (count: number) => `Shared pages: ${count}`,
  },
  onlyPrivate:
    'I don’t share group conversations, because they contain messages from other users. Send me /share in our private chat.',
  nothing: 'This conversation is still empty. Ask me something first, then send /share.',
  ask: (title: string, count: number) =>
    `Share “${title}” as a page? Anyone with the link sees:\n\n• ${messages(count)}, as they are now. Later messages are not added.`,
  nameless: '• No names, accounts, files or model reasoning.',
  pictures: (count: number, limit: number) =>
    count > limit
      ? `• Your ${pictures(count)} only if you choose so below (the newest ${limit}).`
      : `• Your ${pictures(count)} only if you choose so below.`,
  removable: 'You get a key to delete the page, and you can set an expiry.',
  unreachable: (url: string) =>
    `⚠️ The link will begin with ${url} and work only on the machine that runs this service. The operator can set PUBLIC_URL to an address that others can reach.`,
  making: 'Creating the page…',
  tooMany: (limit: number) => `You have ${limit} shared pages, the maximum. Delete one first.`,
  unknown: 'There is no such page. It may have expired or been deleted.',
  taken: (title: string) => `“${title}” continues here, in private. This is where it was:`,
};
