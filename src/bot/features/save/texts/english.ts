import { englishWait as wait } from '../../../texts/english-units.ts';
import { pluralOf } from '../../../texts/plural.ts';

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

export const english = {
  command: 'Save the file you reply to',
  several: files,
  saving: (subject: string, course: string) => `Saving ${subject}… ${course}`,
  waiting: (subject: string, ahead: number) =>
    ahead === 0 ? `Waiting for a free slot: ${subject}` : `Waiting: ${files(ahead)} of yours ahead of this. ${subject}`,
  savedSeveral: (saved: number, all: number) => (saved === all ? `${files(all)}:` : `${saved} of ${files(all)}:`),
  aboutSeveral:
    'Hidden below each link is its owner key (anyone with it can delete the file). Rename, delete or set an expiry in /files.',
  /** For answers after a restart, when the owner keys are no longer known. */
  aboutSeveralWithoutKeys: 'Rename, delete or set an expiry in /files.',
  aboutSeveralInGroup: 'The user who sent /save can manage them with /files in our private chat.',
  howToSave:
    'Reply to a photo or file with /save to get a link. In our private chat any file without a caption gets one; add a question as the caption and I’ll read it.',
  howToTranscribe:
    'Voice messages are stored as files because no speech-to-text model is connected. To have them answered, set OPENAI_API_KEY or GROQ_API_KEY, or OPENAI_TRANSCRIPTION_MODEL for your own server. Only admins see this.',
  cannotListen:
    'I stored the recording, but I can’t answer questions about it: no speech-to-text model is connected to this bot.',
  cutShort: 'I restarted before this was done. Please send it again.',
  failures: {
    quota: (waitMs: number) => `You’ve reached today’s storage limit. Try again in ${wait(waitMs)}.`,
    blocked: 'The operator of this bot has blocked this file.',
    storageUnavailable: 'I can’t save files right now. Please try again in a minute.',
    diskFull: 'The disk of this bot is full, so I can’t save files now. Please tell the operator, and try again later.',
    telegramUnavailable: 'I could not load the file from Telegram. Please try again.',
    queueFull: 'You already have too many files waiting. Try again when some of them are done.',
    interrupted: 'I restarted before the file was saved. Press Retry to continue.',
    internal: 'Something went wrong on my side, and the file was not saved. Please try again.',
  },
};
