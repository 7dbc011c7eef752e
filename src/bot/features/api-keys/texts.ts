import { defineTexts } from '../../../texts/define-texts.ts';
import { countOf, pluralOf } from '../../../texts/plural.ts';
import { englishCount, englishDollars, russianDollars } from '../../../texts/units.ts';

const ENGLISH_DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const ENGLISH_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const ENGLISH_NUMBER = new Intl.NumberFormat('en');
const ENGLISH_DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumFractionDigits: 9,
});
const englishTime = (date: Date) => `${ENGLISH_TIME.format(date)} UTC`;
const RUSSIAN_DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeZone: 'UTC' });
const RUSSIAN_TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const RUSSIAN_NUMBER = new Intl.NumberFormat('ru');
const RUSSIAN_DOLLARS = new Intl.NumberFormat('ru', {
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
const russianTime = (date: Date) => `${RUSSIAN_TIME.format(date)} UTC`;

export const texts = defineTexts({
  en: {
    command: 'API keys for your programs',
    buttons: {
      revokeNow: 'Yes, revoke',
      make: 'New key',
      makeManaging: 'New key for management',
      makeManagingNow: 'Create it',
      limits: 'Limits',
      rotate: 'New secret',
      pause: 'Pause',
      resume: 'Resume',
      rename: 'Rename',
      revoke: 'Revoke',
      keep: 'Keep it',
      all: 'All keys',
      hide: 'Done, hide it',
      wasMe: 'It was me',
      revokeKey: 'Revoke the key',
    },
    copy: 'Copy the key',
    onlyPrivate: 'Keys are private. Send me this command in our private chat.',
    onlyAdmins: 'Only admins can have keys for management.',
    heading: (count: number, limit: number) => `Your API keys: ${count} of ${limit}.`,
    about: (apiUrl: string) =>
      `With a key, your programs can use the models here on your account. Any OpenAI client works, with the base URL ${apiUrl}`,
    aboutManaging:
      'A key for management can do what an admin can: see all users and their usage, change plans, budgets and keys, and use the models on your account. Whoever has it controls this service.\n\nIt manages nothing as soon as you are no longer an admin.',
    managesByApi: 'It is for the management API, and for the models on your account.',
    none: 'You have no API key yet.',
    askName: 'What is the key for? Send me a name for it, like “laptop”, or “laptop $5” with a budget of $5 per month.',
    badBudget:
      'I don’t understand the budget. Send me the name and the budget again, like “laptop $5”, “laptop $0.50/day” or “laptop $20/total”.',
    highBudget: (usd: number) =>
      `Your plan allows a key at most ${ENGLISH_DOLLARS.format(usd)} here. Send me the name and the budget again.`,
    askNewName: 'Send me the new name. Further lines become the note of the key; a “-” there removes it.',
    badName: (limit: number) => `A name must be 1 to ${limit} characters. Send me another one.`,
    badNote: 'The note, below the first line, must have at most 500 characters. Send me name and note again.',
    full: (limit: number) => `You have ${limit} keys, the maximum. Revoke one first.`,
    made: (name: string) => `Your new key “${name}”. Save it now: I can’t show it again.`,
    baseUrl: (apiUrl: string) => `Base URL: ${apiUrl}`,
    madeOn: (date: Date) => `Created on ${ENGLISH_DATE.format(date)}`,
    neverUsed: 'Never used',
    lastUsed: (date: Date, route: string, network: string) =>
      `Last used ${englishTime(date)}, ${route}, from ${network}`,
    usedThisMonth: (sum: string) => `This month: ${sum}`,
    requests: (count: number) => englishCount(count, 'request', 'requests'),
    tokens: (count: number) => englishCount(count, 'token', 'tokens'),
    images: (count: number) => englishCount(count, 'image', 'images'),
    cost: englishDollars,
    unknownCost: 'cost unknown',
    renamed: 'Renamed.',
    askRevoke: 'Revoke this key? Programs that use it will stop working. This can’t be undone.',
    revoked: (name: string) => `“${name}” is revoked.`,
    gone: 'This key no longer exists.',
    isPaused: 'paused',
    isExpired: 'expired',
    paused: 'Paused: programs with this key are refused.',
    resumed: 'The key works again.',
    pausedOn: (date: Date) => `Paused since ${englishTime(date)}`,
    manages: 'Manages the service while you are an admin',
    askRotate: (name: string) =>
      `“${name}” gets a new secret; its limits and its usage stay. When should the old secret stop working?`,
    overlaps: (hours: number) =>
      hours === 0
        ? 'At once'
        : hours < 24
          ? `In ${englishCount(hours, 'hour', 'hours')}`
          : `In ${englishCount(hours / 24, 'day', 'days')}`,
    rotated: (name: string, oldUntil: Date | undefined) =>
      `The new secret of “${name}”. Save it now: I can’t show it again. The old one ${oldUntil ? `works until ${englishTime(oldUntil)}` : 'no longer works'}.`,
    oldSecretUntil: (date: Date) => `The old secret works until ${englishTime(date)}`,
    alreadyRotated: 'The key has a newer secret already.',
    allModels: 'Models: all',
    models: (patterns: string, allowed: number, connected: number) =>
      `Models: ${patterns} (${ENGLISH_NUMBER.format(allowed)} of ${ENGLISH_NUMBER.format(connected)} connected models)`,
    neverExpires: 'Expires: never',
    expires: (date: Date) => `Expires: ${englishTime(date)}`,
    expired: (date: Date) => `Expired: ${englishTime(date)}`,
    noLimits: 'Limits: none',
    limits: (limits: string) => `Limits: ${limits}`,
    requestsPerMinute: (count: number) => `${englishCount(count, 'request', 'requests')} per minute`,
    tokensPerDay: (count: number) => `${englishCount(count, 'token', 'tokens')} per day`,
    atOnce: (count: number) => `${englishCount(count, 'request', 'requests')} at once`,
    noBudget: 'Budget: none',
    noRules: 'It may use all models, without limits of its own.',
    budget: (amounts: string) => `Budget: ${amounts}`,
    perDay: (usd: number) => `${ENGLISH_DOLLARS.format(usd)} per day`,
    perMonth: (usd: number) => `${ENGLISH_DOLLARS.format(usd)} per month`,
    inTotal: (usd: number) => `${ENGLISH_DOLLARS.format(usd)} in total`,
    aboutLimits: 'The limits of your account apply as well: the lower one counts. You set all of this in the console.',
    newNetwork: 'One of your API keys was used from a new network.',
    usedFrom: (network: string, route: string, date: Date) => `From ${network}, ${route}, ${englishTime(date)}`,
    askNetwork:
      'Was it you, or a program of yours? If not, revoke the key: it stops working at once, which can’t be undone.',
    confirmed: 'It was you.',
    noticedRevoked: 'The key is revoked.',
  },
  ru: {
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
    askName: 'Для чего этот ключ? Пришлите имя для него, например «ноутбук» или, с бюджетом $5 в месяц, «ноутбук $5».',
    badBudget:
      'Бюджет непонятен. Пришлите имя и бюджет ещё раз, например «ноутбук $5», «ноутбук $0,50/день» или «ноутбук $20/всего».',
    highBudget: (usd) =>
      `По вашему тарифу у ключа может быть не больше ${RUSSIAN_DOLLARS.format(usd)}. Пришлите имя и бюджет ещё раз.`,
    askNewName: 'Пришлите новое имя. Следующие строки станут заметкой к ключу; «-» вместо них удалит заметку.',
    badName: (limit) => `В имени от 1 до ${limit} символов. Пришлите другое.`,
    badNote: 'В заметке, то есть ниже первой строки, не больше 500 символов. Пришлите имя и заметку ещё раз.',
    full: (limit) => `У вас уже ${limit} ключей, это максимум. Сначала отзовите один из них.`,
    made: (name) => `Ваш новый ключ «${name}». Сохраните его сейчас: показать ещё раз я не смогу.`,
    baseUrl: (apiUrl) => `Базовый URL: ${apiUrl}`,
    madeOn: (date) => `Создан ${RUSSIAN_DATE.format(date)}`,
    neverUsed: 'Ещё не использовался',
    lastUsed: (date, route, network) => `Последний раз: ${russianTime(date)}, ${route}, из ${network}`,
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
    pausedOn: (date) => `Приостановлен ${russianTime(date)}`,
    manages: 'Управляет сервисом, пока вы администратор',
    askRotate: (name) =>
      `Ключ «${name}» получит новый секрет; его лимиты и расход останутся. Когда старый секрет должен перестать работать?`,
    overlaps: (count) => (count === 0 ? 'Сразу' : `Через ${count < 24 ? hours(count) : days(count / 24)}`),
    rotated: (name, oldUntil) =>
      `Новый секрет ключа «${name}». Сохраните его сейчас: показать ещё раз я не смогу. Старый ${oldUntil ? `работает до ${russianTime(oldUntil)}` : 'больше не работает'}.`,
    oldSecretUntil: (date) => `Старый секрет работает до ${russianTime(date)}`,
    alreadyRotated: 'У ключа уже есть более новый секрет.',
    allModels: 'Модели: все',
    models: (patterns, allowed, connected) =>
      `Модели: ${patterns} (${RUSSIAN_NUMBER.format(allowed)} из ${RUSSIAN_NUMBER.format(connected)} подключённых)`,
    neverExpires: 'Срок: без срока',
    expires: (date) => `Срок: до ${russianTime(date)}`,
    expired: (date) => `Срок истёк: ${russianTime(date)}`,
    noLimits: 'Лимиты: нет',
    limits: (limits) => `Лимиты: ${limits}`,
    requestsPerMinute: (count) => `${requests(count)} в минуту`,
    tokensPerDay: (count) => `${tokens(count)} в день`,
    atOnce: (count) => `${requests(count)} одновременно`,
    noBudget: 'Бюджет: нет',
    noRules: 'Доступны все модели, своих лимитов нет.',
    budget: (amounts) => `Бюджет: ${amounts}`,
    perDay: (usd) => `${RUSSIAN_DOLLARS.format(usd)} в день`,
    perMonth: (usd) => `${RUSSIAN_DOLLARS.format(usd)} в месяц`,
    inTotal: (usd) => `${RUSSIAN_DOLLARS.format(usd)} всего`,
    aboutLimits: 'Лимиты вашего аккаунта тоже действуют: считается меньший. Всё это задаётся в консоли.',
    newNetwork: 'Один из ваших ключей API использован из новой сети.',
    usedFrom: (network, route, date) => `Из ${network}, ${route}, ${russianTime(date)}`,
    askNetwork:
      'Это были вы или ваша программа? Если нет, отзовите ключ: он сразу перестанет работать, и это нельзя отменить.',
    confirmed: 'Вы подтвердили, что это вы.',
    noticedRevoked: 'Ключ отозван.',
  },
});
