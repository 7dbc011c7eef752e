import { englishWait as wait } from '../../../texts/english-units.ts';
import { pluralOf } from '../../../texts/plural.ts';

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

export const english = {
  command: 'Keep a file, in reply to it',
  several: files,
  saving: (subject: string, course: string) => `Saving ${subject}… ${course}`,
  waiting: (subject: string, ahead: number) =>
    ahead === 0
      ? `Waiting for a free place: ${subject}`
      : `Waiting: ${files(ahead)} of yours ${ahead === 1 ? 'is' : 'are'} before this. ${subject}`,
  savedSeveral: (saved: number, all: number) => (saved === all ? `${files(all)}:` : `${saved} of ${files(all)}:`),
  aboutSeveral:
    'Hidden below each link: its owner key (anyone with it can delete the file). /files renames, sets an expiry, deletes.',
  /** For answers after a restart, when the owner keys are no longer known. */
  aboutSeveralWithoutKeys: '/files renames, sets an expiry, deletes.',
  aboutSeveralInGroup: 'Who sent /save finds them in our private chat with /files.',
  howToSave:
    'Reply to a photo or file with /save to get a link. In our private chat any file without a caption gets one; add a question as the caption and I’ll read it.',
  howToTranscribe:
    'Voice messages are stored as files because no speech-to-text model is connected. To have them answered, set OPENAI_API_KEY or GROQ_API_KEY, or OPENAI_TRANSCRIPTION_MODEL for your own server. Only operators see this.',
  cutShort: 'I had to restart before this was done. Please send it again.',
  failures: {
    quota: (waitMs: number) => `You've reached today's storage limit. Try again in ${wait(waitMs)}.`,
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
