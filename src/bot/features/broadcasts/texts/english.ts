import { englishWait } from '../../../texts/english-units.ts';
import { pluralOf } from '../../../texts/plural.ts';

const users = (count: number) => pluralOf('en', count, { one: 'user', other: 'users' });

export const english = {
  command: 'A message to all users',
  ask: 'What should I announce? Send me the message exactly as everyone should get it: a text, a photo, anything.',
  noUsers: 'There are no users to send an announcement to yet.',
  refused: 'Telegram does not let me copy this kind of message. Send it as a text, a photo or a file.',
  confirm: (count: number) => `This is how it looks. Send it to ${users(count)}?`,
  send: (ms: number) => `Send (${englishWait(ms)})`,
  sendSlowly: (ms: number) => `Send slowly (${englishWait(ms)})`,
  dropped: 'Not sent.',
  busy: 'Another announcement is still being sent. Cancel it or wait until it is finished, and press again.',
  tooLate: 'It is too late for that.',
  pause: 'Pause',
  resume: 'Resume',
  states: {
    sending: 'The announcement is being sent.',
    paused: 'The announcement is paused.',
    cancelled: 'The announcement is cancelled.',
    gone: 'The message above was deleted, so there is nothing left to send.',
    done: 'The announcement is sent.',
  },
  sent: (count: number) => `Sent: ${count}`,
  blocked: (count: number) => `Blocked the bot: ${count}`,
  failed: (count: number) => `Telegram refused: ${count}`,
  unclear: (count: number) => `Delivery unknown: ${count} (not sent again)`,
  leftOut: (count: number) => `No longer have access: ${count}`,
  left: (count: number) => `Remaining: ${count}`,
  missed: (count: number) => `Did not get it: ${count}`,
  outlook: (ms: number) => `Done in about ${englishWait(ms)}`,
  lastWord: (count: number) => `Announcement finished: ${users(count)} received it.`,
};
