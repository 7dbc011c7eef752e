import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const russian: typeof english = {
  commands: {
    plan: 'Изменить лимиты пользователя',
    ban: 'Заблокировать пользователя',
    unban: 'Снять блокировку',
    takedown: 'Удалить файл и запретить его содержимое',
    audit: 'Действия администраторов',
    allow: 'Открыть доступ пользователю',
    disallow: 'Закрыть доступ пользователю',
  },
  whom: (command) =>
    `Какой пользователь? Напишите ${command} и id в Telegram или ответьте этой командой на его сообщение. Можно добавить причину.`,
  isAdmin: 'Администраторов заблокировать нельзя. Они перечислены в ADMIN_IDS.',
  banDone: (id) => `${id} заблокирован. Ключи API перестанут работать в течение секунды.`,
  banUnknown: (id) => `${id} заблокирован, но пользователь с таким id мне ещё не писал. Проверьте id.`,
  banAlready: (id) => `${id} уже заблокирован.`,
  unbanDone: (id) => `${id} больше не заблокирован.`,
  unbanNone: (id) => `${id} не заблокирован.`,
  openToAll: 'Мной могут пользоваться все: ALLOWED_IDS не задан. Заблокировать пользователя: /ban.',
  allowDone: (id) => `${id} теперь может мной пользоваться.`,
  allowAlready: (id) => `${id} уже может мной пользоваться.`,
  disallowDone: (id) => `${id} больше не может мной пользоваться. Ключи API перестанут работать в течение секунды.`,
  disallowNone: (id) => `${id} нет в списке.`,
  disallowFixed: (id) => `${id} указан в настройках, ADMIN_IDS или ALLOWED_IDS, и может мной пользоваться.`,
  takeDown: {
    which: 'Какой файл? Напишите после /takedown его ссылку или id. Можно добавить причину для журнала.',
    ask: (name) =>
      `Изъять ${name}? Он исчезнет вместе со всеми файлами с тем же содержимым, и сохранить его здесь больше никто не сможет.`,
    done: (count, isBlocked) =>
      isBlocked
        ? `Изъято: ${files(count)}. Это содержимое больше не принимается.`
        : `Изъято: ${files(count)}. Содержимое есть только у Telegram, поэтому его могут загрузить снова.`,
    button: 'Изъять',
  },
  plans: {
    howTo: (plans) =>
      `Напишите /plan, id пользователя в Telegram и название тарифа. Тарифы: ${plans}. «default» вернёт обычный.`,
    unknownUser: (id) => `Пользователь с id ${id} мне ещё не писал.`,
    unknownPlan: (name, plans) => `Тарифа ${name} нет. Тарифы: ${plans}.`,
    current: (id, plan) => `Тариф ${id}: ${plan}.`,
    changed: (id, plan) => `Тариф ${id} теперь ${plan}.`,
  },
  audit: {
    none: 'Действий администраторов ещё не было.',
    heading: 'Действия администраторов, сначала новые (UTC).',
    line: (date, admin, deed) => `${TIME.format(date)}: ${admin} ${deed}`,
    actionTexts: {
      ban: (user) => `— блокировка: ${user}`,
      unban: (user) => `— снятие блокировки: ${user}`,
      allow: (user) => `— доступ открыт: ${user}`,
      disallow: (user) => `— доступ закрыт: ${user}`,
      plan: (user) => `— новый тариф: ${user}`,
      'take-down': (fileId) => `— изъят файл ${fileId}`,
      announce: (number) => `— объявление № ${number}`,
      'pause-announcement': (number) => `— объявление № ${number} приостановлено`,
      'resume-announcement': (number) => `— объявление № ${number} продолжено`,
      'cancel-announcement': (number) => `— объявление № ${number} отменено`,
      'create-key': (key) => `— создан ключ API ${key}`,
      'change-key': (key) => `— изменён ключ API ${key}`,
      'rotate-key': (key) => `— заменён секрет ключа API ${key}`,
      'revoke-key': (key) => `— отозван ключ API ${key}`,
      'set-budget': (scope) => `— задан бюджет ${scope}`,
      'raise-budget': (scope) => `— увеличен бюджет ${scope}`,
    },
    because: (reason) => `: ${reason}`,
  },
};
