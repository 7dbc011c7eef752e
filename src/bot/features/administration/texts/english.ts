import type { AdminAction } from '../../../../core/administration/index.ts';
import { pluralOf } from '../../../texts/plural.ts';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });

export const english = {
  commands: {
    plan: 'Change a user’s limits',
    ban: 'Ban a user',
    unban: 'Lift a ban',
    takedown: 'Remove a file and block its content',
    audit: 'Recent admin actions',
    allow: 'Give a user access',
    disallow: 'Remove a user’s access',
  },
  whom: (command: string) =>
    `Which user? Send ${command} with a Telegram id, or in reply to one of their messages. You can add a reason.`,
  isAdmin: 'Admins can’t be banned. They are listed in ADMIN_IDS.',
  banDone: (id: string) => `${id} is banned. Their API keys stop working within a second.`,
  banUnknown: (id: string) => `${id} is banned, but no user with this id has written to me yet. Check the id.`,
  banAlready: (id: string) => `${id} is already banned.`,
  unbanDone: (id: string) => `${id} is no longer banned.`,
  unbanNone: (id: string) => `${id} is not banned.`,
  openToAll: 'The bot is open to everyone: ALLOWED_IDS is not set. Use /ban to block a user.',
  allowDone: (id: string) => `${id} now has access.`,
  allowAlready: (id: string) => `${id} already has access.`,
  disallowDone: (id: string) => `${id} no longer has access. Their API keys stop working within a second.`,
  disallowNone: (id: string) => `${id} is not on the list.`,
  disallowFixed: (id: string) => `${id} is listed in the settings (ADMIN_IDS or ALLOWED_IDS) and keeps access.`,
  takeDown: {
    which: 'Which file? Send its link or id after /takedown. You can add a reason for the audit log.',
    ask: (name: string) =>
      `Take ${name} down? This deletes it and every file with the same content, and blocks that content from being stored here again.`,
    done: (count: number, isBlocked: boolean) =>
      isBlocked
        ? `${files(count)} taken down. This content is blocked from now on.`
        : `${files(count)} taken down. Only Telegram has the content, so it could be uploaded again.`,
    button: 'Take down',
  },
  plans: {
    howTo: (plans: string) =>
      `Send /plan, a user’s Telegram id and the name of a plan. Plans: ${plans}. “default” restores the usual one.`,
    unknownUser: (id: string) => `No user with the id ${id} has written to me yet.`,
    unknownPlan: (name: string, plans: string) => `There is no plan ${name}. Plans: ${plans}.`,
    current: (id: string, plan: string) => `${id} is on the plan ${plan}.`,
    changed: (id: string, plan: string) => `${id} is now on the plan ${plan}.`,
  },
  audit: {
    none: 'No admin actions yet.',
    heading: 'Admin actions, newest first (UTC).',
    line: (date: Date, admin: string, deed: string) => `${TIME.format(date)}: ${admin} ${deed}`,
    actionTexts: {
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
      'create-key': (key: string) => `created the API key ${key}`,
      'change-key': (key: string) => `changed the API key ${key}`,
      'rotate-key': (key: string) => `rotated the API key ${key}`,
      'revoke-key': (key: string) => `revoked the API key ${key}`,
      'set-budget': (scope: string) => `set the budget of ${scope}`,
      'raise-budget': (scope: string) => `raised the budget of ${scope}`,
    } satisfies Record<AdminAction['action'], unknown>,
    because: (reason: string) => `: ${reason}`,
  },
};
