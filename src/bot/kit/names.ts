import type { User } from 'grammy/types';

export function toFullName({ first_name: firstName, last_name: lastName }: User): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
