import { englishSize, englishWait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

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
  several: files,
  saving: (subject: string, course: string) => `Saving ${subject}… ${course}`,
  waiting: (subject: string, ahead: number) =>
    ahead === 0
      ? `Waiting for a free place: ${subject}`
      : `Waiting: ${files(ahead)} of yours ${ahead === 1 ? 'is' : 'are'} before this. ${subject}`,
  savedSeveral: (saved: number, all: number) => (saved === all ? `${files(all)}:` : `${saved} of ${files(all)}:`),
  aboutSeveral:
    'Hidden below each link: its owner key (anyone with it can delete the file). /files renames, sets an expiry, deletes.',
  /** Where owner keys are not known any more. */
  aboutSeveralWithoutKeys: '/files renames, sets an expiry, deletes.',
  aboutSeveralInGroup: 'Who sent /save finds them in our private chat with /files.',
  howToSave:
    'Reply to a photo or file with /save to get a link. In our private chat any file without a caption gets one; add a question as the caption and I’ll read it.',
  inGroups: (listens: boolean) =>
    `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${listens ? ' I answer voice messages in reply to me.' : ''}`,
  gone: 'There is no such file. Perhaps it has expired, or was deleted.',
  usedUp: 'This file has reached its download limit.',
  askPassword: (name: string) => `${name} needs a password. Send it to me.`,
  wrongPassword: 'Wrong password. Try again.',
  tooManyPasswords: (waitMs: number) => `Too many wrong passwords. Try again in ${englishWait(waitMs)}.`,
  goneAtTelegram: 'Telegram no longer gives me this file. Please ask its owner to send it again.',
  cutShort: 'I had to restart before this was done. Please send it again.',
  failures: {
    quota: (waitMs: number) => `You've reached today's storage limit. Try again in ${englishWait(waitMs)}.`,
    blocked: 'The operator of this bot has blocked this file.',
    storageUnavailable: 'I can not keep files right now. Please try again in a minute.',
    diskFull:
      'The disk of this bot is full, so I can not keep files now. Please tell its operator, and try again later.',
    telegramUnavailable: 'I could not load the file from Telegram. Please try again.',
    queueFull: 'Too many of your files wait already. Try again when some of them are done.',
    interrupted: 'I had to restart before the file was kept. Retry takes it up again.',
    internal: 'Something went wrong on my side, and the file was not kept. Please try again.',
  },
};
