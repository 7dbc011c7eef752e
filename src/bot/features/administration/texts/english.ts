import type { AdminAction } from '../../../../core/administration/index.ts';
import { pluralOf } from '../../../texts/plural.ts';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

export const english = {
  commands: {
    plan: 'Change a user’s limits',
    ban: 'Exclude a user',
    unban: 'Lift a ban',
    takedown: 'Remove a file and block its bytes',
    audit: 'What admins have done',
    allow: 'Let a user in',
    disallow: 'Take a user off the list',
  },
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
  takeDown: {
    which: 'Which file? Write its link or its id after /takedown, and then, for yourself, the reason.',
    ask: (name: string) =>
      `Take ${name} down? It goes, with all files that have the same bytes, and nobody can store these bytes here again.`,
    done: (count: number, isBlocked: boolean) =>
      isBlocked
        ? `${files(count)} taken down. These bytes are refused from now on.`
        : `${files(count)} taken down. Only Telegram has the bytes, so they could come again.`,
    button: 'Take down',
  },
  plans: {
    howTo: (plans: string) =>
      `Write /plan, a user's Telegram id and the name of a plan. Plans: ${plans}. “default” restores the usual one.`,
    unknownUser: (id: string) => `No user with the id ${id} has written to me yet.`,
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
};
