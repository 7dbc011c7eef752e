import { englishSize as size, englishWait as wait } from '../../../texts/english-units.ts';
import { pluralOf } from '../../../texts/plural.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

export const english = {
  command: 'Your files',
  buttons: {
    ask: 'Ask about it',
    ownerKey: '🔑 Owner key',
    share: 'Share',
    rename: 'Rename',
    expiry: 'Expiry',
    delete: 'Delete',
    allFiles: 'All files',
    keep: 'Keep it',
    never: 'Never',
    /** Time until the expiry; up to a day in hours. */
    after: (hours: number) =>
      hours < 24
        ? pluralOf('en', hours, { one: 'hour', other: 'hours' })
        : pluralOf('en', hours / 24, { one: 'day', other: 'days' }),
  },
  heading: (count: number, sizeBytes: number) => `Your files: ${count} (${size(sizeBytes)} in total).`,
  found: (count: number, search: string) => `${files(count)} with “${search}” in the name.`,
  noneFound: (search: string) => `No file matches “${search}”.`,
  empty: 'You have no files here yet. Send me one to get a link to it.',
  onlyPrivate: 'Your files are private. Send me this command in our private chat.',
  askSearch: 'Which file? Send me a part of its name.',
  gone: 'This file no longer exists.',
  expiresAt: (date: Date) => `Expires: ${DATE.format(date)} UTC`,
  downloadsLeft: (count: number) => pluralOf('en', count, { one: 'download left', other: 'downloads left' }),
  hasPassword: 'Password required.',
  ownerKey: 'Owner key (anyone with it can delete the file):',
  inTelegram: (link: string) => `In Telegram: ${link}`,
  telegramOnly: 'Too large for a download link, but you can share it in Telegram:',
  askName: 'Send me the new name. If you leave out the extension, it stays the same.',
  badName: 'This can’t be used as a file name. Send me another one.',
  renamed: 'Renamed.',
  askExpiry: 'When should it expire, counting from now?',
  expirySaved: 'Saved.',
  askDeletion: 'Delete this file for good? The link will stop working.',
  deleted: (name: string) => `${name} is deleted. The link no longer works.`,
  whichFile: 'Which file? Send its link or id after /delete.',
  unknownFile: 'There is no such file. It may have expired or already been deleted.',
  askOwnerKey:
    'As far as I know, this is not your file. Send me its owner key to delete it. I will delete your message with the key, too.',
  wrongOwnerKey: 'This is not the owner key of that file. Nothing was deleted. Send me the right one.',
  ownerKeyRemains: 'I could not remove your message with the owner key. Please delete it yourself.',
  askQuestion: (name: string) => `What do you want to know about ${name}?`,
  /** Shared conversations. */
  page: {
    count: (count: number) =>
      count === 0 ? 'You have no shared pages. /share creates one.' : `Your shared conversations: ${count}.`,
    goOn: (link: string) => `Continue it in Telegram: ${link}`,
    ownerKey: 'Owner key (anyone with it can delete the page):',
    askDeletion: 'Delete this page for good? The link will stop working. The conversation stays in the chat.',
  },
  /** Links to files. */
  link: {
    gone: 'There is no such file. It may have expired or been deleted.',
    usedUp: 'This file has reached its download limit.',
    inUse: 'All downloads that this file has left are running. Try again in a minute.',
    askPassword: (name: string) => `${name} needs a password. Send it to me.`,
    wrongPassword: 'Wrong password. Try again.',
    tooManyPasswords: (waitMs: number) => `Too many wrong passwords. Try again in ${wait(waitMs)}.`,
    goneAtTelegram: 'Telegram no longer has this file. Please ask its owner to send it again.',
  },
  inline: {
    link: (size: string) => `${size}, as a link`,
  },
};
