import { englishSize, englishWait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

/** The bot's own words about files, in English. */
export const englishFiles = {
  size: englishSize,
  buttons: {
    copyLink: 'Copy link',
    share: 'Share',
    rename: 'Rename',
    expiry: 'Expiry',
    delete: 'Delete',
  },
  expiresAt: (date: Date) => `Expires: ${DATE.format(date)} UTC`,
  downloadsLeft: (count: number) => pluralOf('en', count, { one: 'download left', other: 'downloads left' }),
  hasPassword: 'Asks for a password.',
  ownerKey: 'Owner key, with which anybody can delete the file:',
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
  several: files,
  saving: (subject: string, course: string) => `Saving ${subject}… ${course}`,
  waiting: (subject: string, ahead: number) =>
    ahead === 0
      ? `Waiting for a free place: ${subject}`
      : `Waiting: ${files(ahead)} of yours ${ahead === 1 ? 'is' : 'are'} before this. ${subject}`,
  savedSeveral: (saved: number, all: number) => (saved === all ? `${files(all)}:` : `${saved} of ${files(all)}:`),
  aboutSeveral:
    'Below each link stands, covered, the owner key with which anybody can delete the file. /files renames, sets an expiry, deletes.',
  /** Where owner keys are not known any more. */
  aboutSeveralWithoutKeys: '/files renames, sets an expiry, deletes.',
  aboutSeveralInGroup: 'Who sent /save finds them in our private chat with /files.',
  howToSave:
    'Write /save in reply to a photo or file, or below it when you send it, and I give you a link to it. In our private chat I do so with every file without a word below it; photos I look at, and documents with a question below them I read.',
  inGroups: (listens: boolean) =>
    `Reply to the file with /save, and I give you a link to it. A document I also read: reply to it with a question, and mention me.${listens ? ' Voice messages in reply to me I answer.' : ''}`,
  gone: 'There is no such file. Perhaps it has expired, or was deleted.',
  usedUp: 'This file has been downloaded as often as its owner allows.',
  askPassword: (name: string) => `${name} asks for a password. Send it to me.`,
  wrongPassword: 'This is not the password. Try again.',
  tooManyPasswords: (waitMs: number) => `Too many wrong passwords. Try again in ${englishWait(waitMs)}.`,
  goneAtTelegram: 'Telegram no longer gives me this file. Please ask its owner to send it again.',
  cutShort: 'I had to restart before this was done. Please send it again.',
  failures: {
    quota: (waitMs: number) =>
      `You have sent as much as I may keep for you within a day. Try again in ${englishWait(waitMs)}.`,
    blocked: 'The operator of this bot does not keep this file.',
    storageUnavailable: 'I can not keep files right now. Please try again in a minute.',
    diskFull:
      'The disk of this bot is full, so I can not keep files now. Please tell its operator, and try again later.',
    telegramUnavailable: 'I could not load the file from Telegram. Please try again.',
    queueFull: 'Too many of your files wait already. Try again when some of them are done.',
    interrupted: 'I had to restart before the file was kept. Retry takes it up again.',
    internal: 'Something went wrong on my side, and the file was not kept. Please try again.',
  },
};
