import type { english } from './english.ts';

const DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

export const russian: typeof english = {
  command: 'Ключи API для ваших программ',
  buttons: {
    make: 'Новый ключ',
    rename: 'Переименовать',
    revoke: 'Отозвать',
    revokeNow: 'Да, отозвать',
    keep: 'Оставить',
    all: 'Все ключи',
    hide: 'Готово, скрыть',
  },
  copy: 'Скопировать ключ',
  onlyPrivate: 'Ключи видны только вам. Напишите мне эту команду в личном чате.',
  heading: (count, limit) => `Ваши ключи API: ${count} из ${limit}.`,
  about: (apiUrl) =>
    `С ключом ваши программы могут пользоваться здешними моделями от вашего имени. Подойдёт любой клиент OpenAI, базовый URL: ${apiUrl}`,
  none: 'У вас ещё нет ключа API.',
  askName: 'Для чего этот ключ? Пришлите имя для него, например «ноутбук».',
  askNewName: 'Пришлите новое имя.',
  badName: (limit) => `В имени от 1 до ${limit} символов. Пришлите другое.`,
  full: (limit) => `У вас уже ${limit} ключей, это максимум. Сначала отзовите один из них.`,
  made: (name) => `Ваш новый ключ «${name}». Сохраните его сейчас: показать ещё раз я не смогу.`,
  baseUrl: (apiUrl) => `Базовый URL: ${apiUrl}`,
  madeOn: (date) => `Создан ${DATE.format(date)}`,
  neverUsed: 'Ещё не использовался',
  lastUsed: (date, route, network) => `Последний раз: ${TIME.format(date)} UTC, ${route}, из ${network}`,
  renamed: 'Переименовано.',
  askRevoke: 'Отозвать этот ключ? Программы с ним перестанут работать. Это нельзя отменить.',
  revoked: (name) => `Ключ «${name}» отозван.`,
  gone: 'Этого ключа больше нет.',
};
