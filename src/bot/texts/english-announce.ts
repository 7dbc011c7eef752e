import { englishWait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const people = (count: number) => pluralOf('en', count, { one: 'person', other: 'people' });

/** The bot's own words about announcements, to those who run it, in English. */
export const englishAnnounce = {
  ask: 'What shall I announce? Send me the message as everybody is to get it: a text, a photo, anything.',
  nobody: 'There is nobody yet who would get an announcement.',
  refused: 'Telegram does not let me copy such a message. Send it as a text, a photo or a file.',
  confirm: (count: number) => `This is how it looks. It goes to ${people(count)}. Shall I send it?`,
  send: (ms: number) => `Send (${englishWait(ms)})`,
  sendSlowly: (ms: number) => `Send slowly (${englishWait(ms)})`,
  dropped: 'Not sent to anybody.',
  busy: 'Another announcement has not ended yet. Cancel it, or wait until it is out, and press again.',
  tooLate: 'It is too late for that.',
  pause: 'Pause',
  resume: 'Resume',
  states: {
    sending: 'The announcement is being sent.',
    paused: 'The announcement is paused.',
    cancelled: 'The announcement is cancelled.',
    gone: 'The message above was deleted, so there is nothing left to send.',
    done: 'The announcement is out.',
  },
  sent: (count: number) => `Sent: ${count}`,
  blocked: (count: number) => `Have blocked me: ${count}`,
  failed: (count: number) => `Telegram refused: ${count}`,
  unclear: (count: number) => `Unclear whether it arrived: ${count}. I don't send it twice.`,
  leftOut: (count: number) => `May no longer use me: ${count}`,
  left: (count: number) => `Left: ${count}`,
  missed: (count: number) => `Did not get it: ${count}`,
  outlook: (ms: number) => `Done in about ${englishWait(ms)}`,
  lastWord: (count: number) => `The announcement has ended: ${people(count)} got it.`,
};
