import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianAnnounce } from './russian-announce.ts';

const TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('ru');
const DOLLARS = new Intl.NumberFormat('ru', { style: 'currency', currency: 'USD' });

/** `4,2 с` */
const seconds = (ms: number) => `${NUMBER.format(Math.round(ms / 100) / 10)} с`;

const requests = (count: number) =>
  pluralOf('ru', count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });

/** The bot's own words about who may use it, and to those who run it, in Russian. */
export const russianAdministration: Texts['administration'] = {
  forAdmins: 'Для администраторов:',
  commands: {
    stats: 'Как пользуются сервисом',
    announce: 'Сообщение всем пользователям',
    plan: 'Изменить лимиты пользователя',
    ban: 'Заблокировать пользователя',
    unban: 'Снять блокировку',
    takedown: 'Удалить файл и запретить его содержимое',
    audit: 'Что делали администраторы',
    allow: 'Впустить пользователя',
    disallow: 'Убрать пользователя из списка',
  },
  banned: 'Владелец этого бота закрыл вам доступ, поэтому я не отвечаю.',
  stranger: (id) =>
    `Этот бот не для всех. Если вы знаете его владельца, попросите открыть вам доступ: ваш id в Telegram – ${id}.`,
  openLinkAgain: 'Меня впустили: открыть ссылку',
  whom: (command) =>
    `Кого? Напишите ${command} и id в Telegram или ответьте этой командой на сообщение человека. Можно добавить причину.`,
  isAdmin: 'Администраторов заблокировать нельзя. Кто они, сказано в ADMIN_IDS.',
  banDone: (id) => `${id} заблокирован. Ключи API перестанут работать в течение секунды.`,
  banUnknown: (id) => `${id} заблокирован, хотя человек с таким id мне ещё не писал. Проверьте id.`,
  banAlready: (id) => `${id} уже заблокирован.`,
  unbanDone: (id) => `${id} больше не заблокирован.`,
  unbanNone: (id) => `${id} не заблокирован.`,
  everybody: 'Мной могут пользоваться все: ALLOWED_IDS не задан. /ban закрывает доступ одному человеку.',
  allowDone: (id) => `${id} теперь может мной пользоваться.`,
  allowAlready: (id) => `${id} уже может мной пользоваться.`,
  disallowDone: (id) => `${id} больше не может мной пользоваться. Ключи API перестанут работать в течение секунды.`,
  disallowNone: (id) => `${id} нет в списке.`,
  disallowFixed: (id) => `${id} указан в настройках, ADMIN_IDS или ALLOWED_IDS, и может мной пользоваться.`,
  plans: {
    howTo: (plans) =>
      `Напишите /plan, id человека в Telegram и имя тарифа. Тарифы: ${plans}. «default» вернёт обычный.`,
    unknownPerson: (id) => `Никто с id ${id} мне ещё не писал.`,
    unknownPlan: (name, plans) => `Тарифа ${name} нет. Тарифы: ${plans}.`,
    current: (id, plan) => `Тариф ${id}: ${plan}.`,
    changed: (id, plan) => `Тариф ${id} теперь ${plan}.`,
  },
  audit: {
    none: 'Администраторы ещё ничего не делали.',
    heading: 'Что делали администраторы, сначала новое. Время – UTC.',
    line: (date, admin, deed) => `${TIME.format(date)}: ${admin} ${deed}`,
    deeds: {
      ban: (user) => `– блокировка: ${user}`,
      unban: (user) => `– снятие блокировки: ${user}`,
      allow: (user) => `– доступ открыт: ${user}`,
      disallow: (user) => `– доступ закрыт: ${user}`,
      plan: (user) => `– новый тариф: ${user}`,
      'take-down': (fileId) => `– изъят файл ${fileId}`,
      announce: (number) => `– объявление № ${number}`,
      'pause-announcement': (number) => `– пауза в объявлении № ${number}`,
      'resume-announcement': (number) => `– объявление № ${number} продолжено`,
      'cancel-announcement': (number) => `– объявление № ${number} отменено`,
    },
    because: (reason) => `: ${reason}`,
  },
  announce: russianAnnounce,
  stats: {
    heading: (days) =>
      days === 1
        ? 'Последние 24 часа'
        : `За ${pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' })}`,
    people: (active, fresh) =>
      `Люди: пользовались моделями – ${NUMBER.format(active)}, новых – ${NUMBER.format(fresh)}`,
    requests: (count, failed) => `Запросы: ${NUMBER.format(count)} (неудачных: ${NUMBER.format(failed)})`,
    amounts: (tokens, pictures) => `Токены: ${NUMBER.format(tokens)}, картинки: ${NUMBER.format(pictures)}`,
    cost: (dollars) => `Стоимость: ${DOLLARS.format(dollars)}`,
    costUnknown: 'Стоимость: цены неизвестны',
    feedback: (up, down) => `Отзывы: 👍 ${NUMBER.format(up)}, 👎 ${NUMBER.format(down)}`,
    duration: (medianMs, slowMs) => `Длительность: медиана ${seconds(medianMs)}, 95% – до ${seconds(slowMs)}`,
    slowest: 'Самые медленные модели (95% – до):',
    model: (name, slowMs, count) => `${name}: ${seconds(slowMs)}, ${requests(count)}`,
    days: (days) => pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' }),
    chart: 'Запросы по дням',
    answered: 'завершены',
    failed: 'неудачны',
    download: 'Таблицей (CSV)',
  },
};
