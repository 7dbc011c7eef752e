import type { english } from './english.ts';

export const russian: typeof english = {
  keys: 'Ключи API',
  user: 'Пользователь',
  name: 'Название',
  start: 'Начало',
  lastUsed: 'Использован',
  change: 'Действия',
  pauseOf: (name) => `Приостановить или возобновить ${name}`,
  revokeOf: (name) => `Отозвать ${name}`,
};
