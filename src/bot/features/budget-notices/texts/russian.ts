import { dollarsOf } from '../../../texts/money.ts';
import type { english } from './english.ts';

const dollars = (usd: number) => dollarsOf('ru', usd);

export const russian: typeof english = {
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
    day: (spent, limit) => `Сегодня: ${dollars(spent)} из ${dollars(limit)}`,
    month: (spent, limit) => `В этом месяце: ${dollars(spent)} из ${dollars(limit)}`,
    total: (spent, limit) => `Всего: ${dollars(spent)} из ${dollars(limit)}`,
  },
  resets: (moment) => `Обновится ${moment}.`,
  neverResets: 'Этот бюджет не обновляется.',
  over: (budget) => `${budget} с тех пор обновился или отменён.`,
  raised: (usd) => `Увеличен на ${dollars(usd)}.`,
  alreadyRaised: 'Этот бюджет уже увеличен.',
  tooLate: 'Этот бюджет обновился или отменён.',
  notAllowed: 'Вам нельзя увеличить этот бюджет на такую сумму.',
  keyPaused: 'Ключ приостановлен.',
  keyRevoked: 'Ключ отозван.',
  keyGone: 'Этого ключа больше нет.',
  allPaused: 'Все ваши ключи API приостановлены. Список: /key.',
  askRevoke: 'Отозвать этот ключ? Программы с ним перестанут работать. Это нельзя отменить.',
  buttons: {
    raise: (usd) => `Увеличить на ${dollars(usd)}`,
    pause: 'Приостановить ключ',
    resume: 'Возобновить ключ',
    revoke: 'Отозвать ключ',
    revokeNow: 'Да, отозвать',
    keep: 'Оставить',
    pauseAll: 'Приостановить все мои ключи',
  },
};
