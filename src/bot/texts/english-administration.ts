import type { AdminAction } from '../../core/administration/index.ts';
import { englishAnnounce } from './english-announce.ts';
import { pluralOf } from './plural.ts';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('en');
const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** `4.2 s` */
const seconds = (ms: number) => `${NUMBER.format(Math.round(ms / 100) / 10)} s`;

/** The bot's own words about who may use it, and to those who run it, in English. */
export const englishAdministration = {
  forAdmins: 'For admins:',
  commands: {
    stats: 'Usage of the service',
    announce: 'A message to all users',
    plan: 'Change a user’s limits',
    ban: 'Exclude a user',
    unban: 'Lift a ban',
    takedown: 'Remove a file and block its bytes',
    audit: 'What admins have done',
    allow: 'Let a user in',
    disallow: 'Take a user off the list',
  },
  banned: 'The operator of this bot has banned you, so I can’t answer.',
  stranger: (id: string) => `This bot is private. If you know its operator, ask for access: your Telegram id is ${id}.`,
  openLinkAgain: 'I have access now: open the link again',
  whom: (command: string) =>
    `Who? Write ${command} with a Telegram id, or in reply to a message of that user, and a reason if you like.`,
  isAdmin: 'Admins can not be banned. ADMIN_IDS says who is one.',
  banDone: (id: string) => `${id} is banned. Their API keys stop working within a second.`,
  banUnknown: (id: string) => `${id} is banned, although no user with this id has written to me. Check the id.`,
  banAlready: (id: string) => `${id} is banned already.`,
  unbanDone: (id: string) => `${id} is no longer banned.`,
  unbanNone: (id: string) => `${id} is not banned.`,
  everybody: 'The bot is open to everyone: ALLOWED_IDS is not set. /ban excludes a user.',
  allowDone: (id: string) => `${id} may use me now.`,
  allowAlready: (id: string) => `${id} may use me already.`,
  disallowDone: (id: string) => `${id} may no longer use me. Their API keys stop working within a second.`,
  disallowNone: (id: string) => `${id} is not on the list.`,
  disallowFixed: (id: string) => `${id} is in the settings (ADMIN_IDS or ALLOWED_IDS) and may use me.`,
  plans: {
    howTo: (plans: string) =>
      `Write /plan, a user's Telegram id and the name of a plan. Plans: ${plans}. “default” restores the usual one.`,
    unknownPerson: (id: string) => `No user with the id ${id} has written to me yet.`,
    unknownPlan: (name: string, plans: string) => `There is no plan ${name}. Plans: ${plans}.`,
    current: (id: string, plan: string) => `${id} is on the plan ${plan}.`,
    changed: (id: string, plan: string) => `${id} is on the plan ${plan} now.`,
  },
  audit: {
    none: 'No admin actions yet.',
    heading: 'Admin actions, newest first (UTC).',
    line: (date: Date, admin: string, deed: string) => `${TIME.format(date)}: ${admin} ${deed}`,
    deeds: {
      ban: (user: string) => `banned ${user}`,
      unban: (user: string) => `unbanned ${user}`,
      allow: (user: string) => `allowed ${user}`,
      disallow: (user: string) => `disallowed ${user}`,
      plan: (user: string) => `changed the plan of ${user}`,
      'take-down': (fileId: string) => `took down file ${fileId}`,
      announce: (number: string) => `sent announcement ${number}`,
      'pause-announcement': (number: string) => `paused announcement ${number}`,
      'resume-announcement': (number: string) => `resumed announcement ${number}`,
      'cancel-announcement': (number: string) => `cancelled announcement ${number}`,
    } satisfies Record<AdminAction['action'], unknown>,
    because: (reason: string) => `: ${reason}`,
  },
  announce: englishAnnounce,
  stats: {
    heading: (days: number) =>
      days === 1 ? 'The last 24 hours' : `The last ${pluralOf('en', days, { one: 'day', other: 'days' })}`,
    people: (active: number, fresh: number) =>
      `People: ${NUMBER.format(active)} used a model, ${NUMBER.format(fresh)} came for the first time`,
    requests: (count: number, failed: number) => `Requests: ${NUMBER.format(count)} (${NUMBER.format(failed)} failed)`,
    amounts: (tokens: number, pictures: number) =>
      `Tokens: ${NUMBER.format(tokens)}, pictures: ${NUMBER.format(pictures)}`,
    cost: (dollars: number) => `Cost: ${DOLLARS.format(dollars)}`,
    costUnknown: 'Cost: no prices are known',
    feedback: (up: number, down: number) => `Feedback: 👍 ${NUMBER.format(up)}, 👎 ${NUMBER.format(down)}`,
    duration: (medianMs: number, slowMs: number) =>
      `Duration: median ${seconds(medianMs)}, 95% under ${seconds(slowMs)}`,
    slowest: 'Slowest models (95% under):',
    model: (name: string, slowMs: number, count: number) =>
      `${name}: ${seconds(slowMs)}, ${pluralOf('en', count, { one: 'request', other: 'requests' })}`,
    days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
    chart: 'Requests a day',
    answered: 'complete',
    failed: 'failed',
    download: 'As a table (CSV)',
  },
};
