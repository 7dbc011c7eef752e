import type { User } from 'grammy/types';

/** Returns a user's name as Telegram shows it. */
export function toFullName({ first_name: firstName, last_name: lastName }: User): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
