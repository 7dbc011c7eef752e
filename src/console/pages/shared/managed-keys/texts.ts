import { defineTexts } from '../../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    keys: 'API keys',
    user: 'User',
    name: 'Name',
    start: 'Begins with',
    lastUsed: 'Last used',
    change: 'Change',
    pauseOf: (name: string) => `Pause or resume ${name}`,
    revokeOf: (name: string) => `Revoke ${name}`,
  },
  ru: {
    keys: 'Ключи API',
    user: 'Пользователь',
    name: 'Название',
    start: 'Начало',
    lastUsed: 'Использован',
    change: 'Действия',
    pauseOf: (name) => `Приостановить или возобновить ${name}`,
    revokeOf: (name) => `Отозвать ${name}`,
  },
});
