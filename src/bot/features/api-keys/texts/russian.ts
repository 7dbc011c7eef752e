import { countOf, pluralOf } from '../../../texts/plural.ts';
import { russianDollars } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('ru');
const DOLLARS = new Intl.NumberFormat('ru', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumFractionDigits: 9,
});

const counted = (count: number, one: string, few: string, many: string) =>
  countOf('ru', count, { one, few, other: many });
const requests = (count: number) => counted(count, 'запрос', 'запроса', 'запросов');
const tokens = (count: number) => counted(count, 'токен', 'токена', 'токенов');
const days = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', other: 'дней' });
const hours = (count: number) => pluralOf('ru', count, { one: 'час', few: 'часа', other: 'часов' });
const time = (date: Date) => `${TIME.format(date)} UTC`;
const BAD_DOLLARS = 'Это не сумма в долларах. Пришлите число от 0 до 1 000 000, например 5 или 2,50, либо «нет».';

export const russian: typeof english = {
  command: 'Ключи API для ваших программ',
  buttons: {
    make: 'Новый ключ',
    makeManaging: 'Новый ключ для управления',
    makeManagingNow: 'Создать',
    limits: 'Лимиты',
    rotate: 'Новый секрет',
    pause: 'Приостановить',
    resume: 'Возобновить',
    rename: 'Переименовать',
    revoke: 'Отозвать',
    revokeNow: 'Да, отозвать',
    keep: 'Оставить',
    all: 'Все ключи',
    hide: 'Готово, скрыть',
    wasMe: 'Это я',
    revokeKey: 'Отозвать ключ',
  },
  copy: 'Скопировать ключ',
  onlyPrivate: 'Ключи видны только вам. Напишите мне эту команду в личном чате.',
  onlyAdmins: 'Ключи для управления бывают только у администраторов.',
  heading: (count, limit) => `Ваши ключи API: ${count} из ${limit}.`,
  about: (apiUrl) =>
    `С ключом ваши программы могут пользоваться здешними моделями от вашего имени. Подойдёт любой клиент OpenAI, базовый URL: ${apiUrl}`,
  aboutManaging:
    'Ключ для управления может то же, что администратор: видеть всех пользователей и их расход, менять тарифы, бюджеты и ключи, а также пользоваться моделями от вашего имени. У кого он есть, тот управляет этим сервисом.\n\nКак только вы перестанете быть администратором, ключ ничем не управляет.',
  managesByApi: 'Он для API управления и для моделей от вашего имени.',
  none: 'У вас ещё нет ключа API.',
  askName: 'Для чего этот ключ? Пришлите имя для него, например «ноутбук».',
  askNewName: 'Пришлите новое имя. Следующие строки станут заметкой к ключу; «-» вместо них удалит заметку.',
  badName: (limit) => `В имени от 1 до ${limit} символов. Пришлите другое.`,
  badNote: 'В заметке, то есть ниже первой строки, не больше 500 символов. Пришлите имя и заметку ещё раз.',
  full: (limit) => `У вас уже ${limit} ключей, это максимум. Сначала отзовите один из них.`,
  made: (name) => `Ваш новый ключ «${name}». Сохраните его сейчас: показать ещё раз я не смогу.`,
  baseUrl: (apiUrl) => `Базовый URL: ${apiUrl}`,
  madeOn: (date) => `Создан ${DATE.format(date)}`,
  neverUsed: 'Ещё не использовался',
  lastUsed: (date, route, network) => `Последний раз: ${time(date)}, ${route}, из ${network}`,
  usedThisMonth: (sum) => `В этом месяце: ${sum}`,
  requests,
  tokens,
  images: (count) => counted(count, 'изображение', 'изображения', 'изображений'),
  cost: russianDollars,
  unknownCost: 'стоимость неизвестна',
  renamed: 'Переименовано.',
  askRevoke: 'Отозвать этот ключ? Программы с ним перестанут работать. Это нельзя отменить.',
  revoked: (name) => `Ключ «${name}» отозван.`,
  gone: 'Этого ключа больше нет.',
  isPaused: 'приостановлен',
  isExpired: 'истёк',
  paused: 'Приостановлен: программы с этим ключом получают отказ.',
  resumed: 'Ключ снова работает.',
  pausedOn: (date) => `Приостановлен ${time(date)}`,
  manages: 'Управляет сервисом, пока вы администратор',
  askRotate: (name) =>
    `Ключ «${name}» получит новый секрет; его лимиты и расход останутся. Когда старый секрет должен перестать работать?`,
  overlaps: (count) => (count === 0 ? 'Сразу' : `Через ${count < 24 ? hours(count) : days(count / 24)}`),
  rotated: (name, oldUntil) =>
    `Новый секрет ключа «${name}». Сохраните его сейчас: показать ещё раз я не смогу. Старый ${oldUntil ? `работает до ${time(oldUntil)}` : 'больше не работает'}.`,
  oldSecretUntil: (date) => `Старый секрет работает до ${time(date)}`,
  alreadyRotated: 'У ключа уже есть более новый секрет.',
  allModels: 'Модели: все',
  models: (patterns, allowed, connected) =>
    `Модели: ${patterns} (${NUMBER.format(allowed)} из ${NUMBER.format(connected)} подключённых)`,
  neverExpires: 'Срок: без срока',
  expires: (date) => `Срок: до ${time(date)}`,
  expired: (date) => `Срок истёк: ${time(date)}`,
  noLimits: 'Лимиты: нет',
  limits: (limits) => `Лимиты: ${limits}`,
  requestsPerMinute: (count) => `${requests(count)} в минуту`,
  tokensPerDay: (count) => `${tokens(count)} в день`,
  atOnce: (count) => `${requests(count)} одновременно`,
  noBudget: 'Бюджет: нет',
  noRules: 'Доступны все модели, своих лимитов нет.',
  budget: (amounts) => `Бюджет: ${amounts}`,
  perDay: (usd) => `${DOLLARS.format(usd)} в день`,
  perMonth: (usd) => `${DOLLARS.format(usd)} в месяц`,
  inTotal: (usd) => `${DOLLARS.format(usd)} всего`,
  aboutLimits: 'Лимиты вашего аккаунта тоже действуют: считается меньший.',
  changed: 'Изменено.',
  overPlan: (usd) => `Ваш план допускает для ключа не больше ${DOLLARS.format(usd)}. Выберите сумму поменьше.`,
  offered: (value) => {
    const count = /^(\d+)d$/.exec(value)?.[1];
    return count === undefined ? value : days(Number(count));
  },
  rules: {
    models: {
      name: 'Модели',
      about: 'Какие модели можно использовать с этим ключом? Выберите провайдеров или пришлите имена и шаблоны.',
      none: 'Все модели',
      other: 'Имена и шаблоны…',
      ask: 'Пришлите модели, которые можно использовать с ключом; * заменяет любые символы: gpt-*, anthropic/*',
      bad: 'Пришлите до 50 имён или шаблонов через запятую или пробел, каждый до 200 символов и не больше пяти *, либо «все».',
    },
    expiry: {
      name: 'Срок',
      about: 'Когда ключ должен перестать работать?',
      none: 'Без срока',
      other: 'Дата…',
      ask: 'Пришлите дату, когда ключ истекает, например 31.03.2027. Он перестанет работать в 00:00 UTC или во время, которое вы добавите: 31.03.2027 18:00',
      bad: 'Это не дата в ближайшие десять лет. Пришлите, например, 31.03.2027 или 31.03.2027 18:00 (время по UTC), либо «никогда».',
    },
    requestsPerMinute: {
      name: 'Запросы в минуту',
      about: 'Сколько запросов в минуту можно отправлять с этим ключом?',
      none: 'Без лимита',
      other: 'Число…',
      ask: 'Пришлите число запросов в минуту.',
      bad: 'Пришлите целое число от 1 до 1 000 000, либо «нет».',
    },
    tokensPerDay: {
      name: 'Токены в день',
      about: 'Сколько токенов в день можно расходовать с этим ключом? День начинается в 00:00 UTC.',
      none: 'Без лимита',
      other: 'Число…',
      ask: 'Пришлите число токенов в день, например 250000, 250k или 2M.',
      bad: 'Пришлите целое число от 1 до 1 000 000 000 000, например 250000, 250k или 2M, либо «нет».',
    },
    usdPerDay: {
      name: '$ в день',
      about: 'Сколько долларов США в день можно потратить с этим ключом? День начинается в 00:00 UTC.',
      none: 'Без бюджета',
      other: 'Сумма…',
      ask: 'Пришлите сумму в долларах в день, например 2,50.',
      bad: BAD_DOLLARS,
    },
    usdPerMonth: {
      name: '$ в месяц',
      about: 'Сколько долларов США в месяц можно потратить с этим ключом? Месяц начинается в 00:00 UTC.',
      none: 'Без бюджета',
      other: 'Сумма…',
      ask: 'Пришлите сумму в долларах в месяц, например 20.',
      bad: BAD_DOLLARS,
    },
    usdTotal: {
      name: '$ всего',
      about: 'Сколько долларов США всего можно потратить с этим ключом, начиная с этого момента?',
      none: 'Без бюджета',
      other: 'Сумма…',
      ask: 'Пришлите сумму в долларах, например 100.',
      bad: BAD_DOLLARS,
    },
  },
  newNetwork: 'Один из ваших ключей API использован из новой сети.',
  usedFrom: (network, route, date) => `Из ${network}, ${route}, ${time(date)}`,
  askNetwork:
    'Это были вы или ваша программа? Если нет, отзовите ключ: он сразу перестанет работать, и это нельзя отменить.',
  confirmed: 'Вы подтвердили, что это вы.',
  noticedRevoked: 'Ключ отозван.',
};
