import { englishSize, englishWait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** The bot's own words about files, in English. */
export const englishFiles = {
  size: englishSize,
  buttons: {
    copyLink: 'Copy link',
    ownerKey: '🔑 Owner key',
    share: 'Share',
    rename: 'Rename',
    expiry: 'Expiry',
    delete: 'Delete',
  },
  expiresAt: (date: Date) => `Expires: ${DATE.format(date)} UTC`,
  downloadsLeft: (count: number) => pluralOf('en', count, { one: 'download left', other: 'downloads left' }),
  hasPassword: 'Password required.',
  ownerKey: 'Owner key (anyone with it can delete the file):',
  inTelegram: (link: string) => `In Telegram: ${link}`,
  telegramOnly: 'Too large for a download link. Inside Telegram it can be shared:',
  /** What files are called that come without a name. */
  kinds: {
    document: 'file',
    photo: 'photo',
    video: 'video',
    audio: 'audio',
    voice: 'voice',
    animation: 'animation',
    sticker: 'sticker',
    video_note: 'video message',
  },
  inGroups: (listens: boolean) =>
    `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${listens ? ' I answer voice messages in reply to me.' : ''}`,
  gone: 'There is no such file. Perhaps it has expired, or was deleted.',
  usedUp: 'This file has reached its download limit.',
  askPassword: (name: string) => `${name} needs a password. Send it to me.`,
  wrongPassword: 'Wrong password. Try again.',
  tooManyPasswords: (waitMs: number) => `Too many wrong passwords. Try again in ${englishWait(waitMs)}.`,
  goneAtTelegram: 'Telegram no longer gives me this file. Please ask its owner to send it again.',
};
