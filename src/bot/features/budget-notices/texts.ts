import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';

const englishDollars = (usd: number) => dollarsOf('en', usd);
const russianDollars = (usd: number) => dollarsOf('ru', usd);

export const texts = defineTexts({
  en: {
    budgets: {
      key: 'The budget of your API key',
      own: 'Your budget',
      chat: 'The budget of this chat',
      group: 'The budget of this group',
      instance: 'The budget of the whole service',
    },
    spent: (budget: string, percent: number) => `${budget} is ${percent}% spent.`,
    usedUp: (budget: string) => `${budget} is used up. Requests that cost money are refused.`,
    almostUsedUp: (budget: string) => `${budget} is almost used up: what is left was not enough for a request.`,
    periods: {
      day: (spent: number, limit: number) => `Today: ${englishDollars(spent)} of ${englishDollars(limit)}`,
      month: (spent: number, limit: number) => `This month: ${englishDollars(spent)} of ${englishDollars(limit)}`,
      total: (spent: number, limit: number) => `In total: ${englishDollars(spent)} of ${englishDollars(limit)}`,
    },
    resets: (moment: string) => `Resets on ${moment}.`,
    neverResets: 'This budget doesn’t reset.',
    over: (budget: string) => `${budget} has been reset or removed since this notice.`,
    raised: (usd: number) => `Raised by ${englishDollars(usd)}.`,
    alreadyRaised: 'This budget was already raised.',
    tooLate: 'This budget has been reset or removed.',
    notAllowed: 'You may not raise this budget by this amount.',
    keyPaused: 'The key is paused.',
    keyRevoked: 'The key is revoked.',
    keyGone: 'This key no longer exists.',
    allPaused: 'All your API keys are paused. /key shows them.',
    askRevoke: 'Revoke this key? Programs that use it will stop working. This can’t be undone.',
    buttons: {
      raise: (usd: number) => `Raise by ${englishDollars(usd)}`,
      pause: 'Pause the key',
      resume: 'Resume the key',
      revoke: 'Revoke the key',
      revokeNow: 'Yes, revoke',
      keep: 'Keep it',
      pauseAll: 'Pause all my keys',
    },
  },
  ru: {
    budgets: {
      key: 'Бюджет вашего ключа API',
      own: 'Ваш бюджет',
      chat: 'Бюджет этого чата',
      group: 'Бюджет этой группы',
      instance: 'Бюджет всего сервиса',
    },
    spent: (budget, percent) => `${budget} израсходован на ${percent} %.`,
    usedUp: (budget) => `${budget} исчерпан. Платные запросы отклоняются.`,
    almostUsedUp: (budget) => `${budget} почти исчерпан: остатка не хватило на запрос.`,
    periods: {
      day: (spent, limit) => `Сегодня: ${russianDollars(spent)} из ${russianDollars(limit)}`,
      month: (spent, limit) => `В этом месяце: ${russianDollars(spent)} из ${russianDollars(limit)}`,
      total: (spent, limit) => `Всего: ${russianDollars(spent)} из ${russianDollars(limit)}`,
    },
    resets: (moment) => `Обновится ${moment}.`,
    neverResets: 'Этот бюджет не обновляется.',
    over: (budget) => `${budget} с тех пор обновился или отменён.`,
    raised: (usd) => `Увеличен на ${russianDollars(usd)}.`,
    alreadyRaised: 'Этот бюджет уже увеличен.',
    tooLate: 'Этот бюджет обновился или отменён.',
    notAllowed: 'Вам нельзя увеличить этот бюджет на такую сумму.',
    keyPaused: 'Ключ приостановлен.',
    keyRevoked: 'Ключ отозван.',
    keyGone: 'Этого ключа больше нет.',
    allPaused: 'Все ваши ключи API приостановлены. Список: /key.',
    askRevoke: 'Отозвать этот ключ? Программы с ним перестанут работать. Это нельзя отменить.',
    buttons: {
      raise: (usd) => `Увеличить на ${russianDollars(usd)}`,
      pause: 'Приостановить ключ',
      resume: 'Возобновить ключ',
      revoke: 'Отозвать ключ',
      revokeNow: 'Да, отозвать',
      keep: 'Оставить',
      pauseAll: 'Приостановить все мои ключи',
    },
  },
});
