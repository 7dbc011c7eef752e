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
  onlyPrivate: 'Ключи – только между нами. Напишите мне это в личном чате.',
  heading: (count, limit) => `Ваши ключи API: ${count} из ${limit}.`,
  about: (apiUrl) =>
    `С ключом ваши программы работают со здешними моделями от вашего имени. Годится любой клиент OpenAI, базовый адрес: ${apiUrl}`,
  none: 'У вас ещё нет ключа API.',
  askName: 'Для чего этот ключ? Пришлите имя для него, например «ноутбук».',
  askNewName: 'Пришлите новое имя.',
  badName: (limit) => `В имени от 1 до ${limit} символов. Пришлите другое.`,
  full: (limit) => `Ключей у вас ${limit}, больше нельзя. Сначала отзовите один из них.`,
  made: (name) => `Ваш новый ключ «${name}». Сохраните его сейчас: показать ещё раз я не смогу.`,
  baseUrl: (apiUrl) => `Базовый адрес: ${apiUrl}`,
  madeOn: (date) => `Создан ${DATE.format(date)}`,
  neverUsed: 'Ещё не использовался',
  lastUsed: (date, route, network) => `Последний раз: ${TIME.format(date)} UTC, ${route}, из ${network}`,
  renamed: 'Переименовано.',
  askRevoke: 'Отозвать этот ключ? Программы с ним сразу перестанут работать, и вернуть его нельзя.',
  revoked: (name) => `Ключ «${name}» отозван.`,
  gone: 'Этого ключа больше нет.',
};
