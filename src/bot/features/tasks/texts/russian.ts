import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const tasks = (count: number) =>
  pluralOf('ru', count, { one: 'задача', few: 'задачи', many: 'задач', other: 'задачи' });
const times = (count: number) => pluralOf('ru', count, { one: 'раз', few: 'раза', many: 'раз', other: 'раза' });
const hours = (count: number) => pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' });
const days = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });
const weeks = (count: number) =>
  pluralOf('ru', count, { one: 'неделю', few: 'недели', many: 'недель', other: 'недели' });
const months = (count: number) =>
  pluralOf('ru', count, { one: 'месяц', few: 'месяца', many: 'месяцев', other: 'месяца' });
const years = (count: number) => pluralOf('ru', count, { one: 'год', few: 'года', many: 'лет', other: 'года' });
const minutes = (count: number) =>
  pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' });
/** Returns `2-й вторник`, `2-я среда`, `2-е воскресенье` without the day. */
function ordinal(nth: number, weekday: number): string {
  const gender = weekday === 0 ? 2 : [3, 5, 6].includes(weekday) ? 1 : 0;
  if (nth === -1) return ['последний', 'последняя', 'последнее'][gender] ?? '';
  return `${nth}-${['й', 'я', 'е'][gender]}`;
}

export const russian: typeof english = {
  command: 'Напоминания и задачи',
  remindCommand: 'Напоминание: /remind 20м чай',
  buttons: {
    runNow: '▶️ Запустить',
    pause: '⏸ Пауза',
    resume: '▶️ Возобновить',
    changeText: '✏️ Текст',
    changeTime: '🕐 Время',
    history: 'История',
    delete: '🗑 Удалить',
    deleteForGood: 'Да, удалить',
    keep: 'Оставить',
    beQuiet: 'Только если есть новое',
    beLoud: 'Отвечать каждый раз',
    rightZone: (timeZone) => `✓ ${timeZone}, верно`,
    otherZone: 'Другой часовой пояс',
    otherCity: 'Другой город…',
    toTask: 'Изменить или удалить',
  },
  heading: (count) => `Ваши задачи здесь: ${count}.`,
  headingOfGroup: (count) => `Задачи в этой группе: ${count}.`,
  empty:
    'Задач здесь пока нет. Напишите мне, что и когда сделать, например «каждый будний день в 8 новости о космосе», или используйте /remind 20м чай.',
  gone: 'Этой задачи больше нет.',
  foreign: 'Это не ваша задача.',
  kinds: { reminder: 'Напоминание', question: 'Вопрос модели' },
  of: (name) => `Создал(а): ${name}`,
  once: 'Один раз',
  every: {
    minutes: (count) => (count === 1 ? 'Каждую минуту' : `Раз в ${minutes(count)}`),
    hours: (count) => (count === 1 ? 'Каждый час' : `Раз в ${hours(count)}`),
    days: (count) => (count === 1 ? 'Каждый день' : `Раз в ${days(count)}`),
    weekdays: 'По будням',
    weeks: (count, names) =>
      `${count === 1 ? 'Каждую неделю' : `Раз в ${weeks(count)}`}${names === '' ? '' : `: ${names}`}`,
    months: (count, numbers) =>
      `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}${numbers === '' ? '' : `, числа: ${numbers}`}`,
    lastDay: (count) => `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}, в последний день`,
    weekdayOfMonth: (count, nth, name, weekday) =>
      `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}: ${ordinal(nth, weekday)} ${name}`,
    years: (count) => (count === 1 ? 'Каждый год' : `Раз в ${years(count)}`),
    rule: (rule) => `По правилу ${rule}`,
    at: (time) => ` в ${time}`,
    count: (count) => `, ${times(count)}`,
    until: (day) => `, до ${day}`,
  },
  when: (time, timeZone) => `Когда: ${time} (${timeZone})`,
  next: (time, timeZone) => `Следующий раз: ${time} (${timeZone})`,
  paused: {
    user: 'Приостановлена.',
    failures: 'Приостановлена после нескольких неудач подряд.',
    unreachable: 'Приостановлена: я больше не могу писать в этот чат или тему.',
    'not-allowed': 'Приостановлена: её автору здесь больше нельзя запускать задачи.',
  },
  ended: 'Завершена: запусков больше не будет.',
  quiet: 'Если нового нет, ничего не присылает.',
  askText: 'Пришлите новый текст этой задачи.',
  askTime:
    'Когда? Например: «через 2 часа», «18:30», «завтра 9:00», «в пятницу 9:00», «24.12. 18:00», «каждый день 9:00» или «по будням 8:00».',
  noText: 'О чём напомнить?',
  unknownTime: 'Не понимаю это время.',
  textTooLong: (max) => `Текст слишком длинный: можно не больше ${max} знаков.`,
  changed: 'Изменено.',
  starts: 'Запускаю.',
  isRunning: 'Она уже выполняется.',
  nothingLeft: 'Запусков больше не будет: задайте новое время.',
  isPaused: 'Приостановлена.',
  isResumed: 'Возобновлена.',
  askDeletion: 'Удалить эту задачу вместе с историей?',
  deleted: 'Удалена.',
  history: (name) => `Запуски «${name}», сначала новые:`,
  noRuns: 'Эта задача ещё не запускалась.',
  runStates: {
    due: '⏳ ждёт',
    claimed: '⏳ ждёт',
    started: '✍️ выполняется',
    done: '✅ готово',
    quiet: '✅ нового нет',
    failed: '⚠️ не удалось',
    unclear: '❔ возможно, отправлено',
    skipped: '⏭ пропущено',
  },
  reasons: {
    quota: 'исчерпан лимит',
    unreachable: 'чат был недоступен',
    'not-allowed': 'больше нельзя',
    'not-started': 'не удалось запустить',
    error: 'ошибка',
    interrupted: 'я перезапустился',
    'no-model': 'не подключена ни одна модель',
  },
  missed: (count) => `пропущено ещё ${count}`,
  byHand: 'вручную',
  hereItIs: 'Вот сообщение этого запуска.',
  messageGone: 'Сообщения этого запуска больше нет.',
  scheduled: (kind) => (kind === 'reminder' ? '⏰ Напоминание установлено' : '⏰ Задача запланирована'),
  guessedZone: (timeZone, time) => `Часовой пояс я угадал по языку: ${timeZone}, там сейчас ${time}. Верно?`,
  zoneSet: (timeZone) => `Часовой пояс: ${timeZone}.`,
  askZone: 'Какой часовой пояс использовать для ваших задач?',
  askCity: 'Пришлите крупный город в вашем часовом поясе, по-английски, или название пояса, например Europe/Moscow.',
  unknownCity: 'Не знаю такого города. Пришлите город побольше, по-английски, или название вроде Europe/Moscow.',
  snoozed: (time) => `Напомню ещё раз: ${time}.`,
  howToRemind: [
    'Напишите время, потом текст:',
    '/remind 20м чай',
    '/remind 18:30 позвонить Ане',
    '/remind завтра 9:00 заплатить за квартиру',
    '/remind по будням 8:00 планёрка',
    '',
    '/tasks показывает, что запланировано.',
  ].join('\n'),
  problems: {
    past: 'Это время уже прошло.',
    tooFar: 'Это время слишком далеко в будущем.',
    tooOften: (count) => `Слишком часто: не чаще чем раз в ${minutes(count)}.`,
    tooMany: (count) => `У вас уже ${tasks(count)}, больше нельзя. Сначала удалите одну в /tasks.`,
    noneAllowed: 'В вашем тарифе задач нет.',
    badRule: 'Так повторять задачу я не умею.',
    off: 'Админы этой группы отключили задачи.',
    comments: 'В комментариях к каналу задачи не работают.',
  },
  notices: {
    quota: (name) => `Задача «${name}» не выполнена: исчерпан ваш лимит.`,
    paused: (name, reason) => `Задача «${name}» больше не запускается. ${reason}`,
    'not-started': (name) => `Задачу «${name}» не удалось выполнить. Её можно запустить снова.`,
    'no-model': (name) => `Задача «${name}» не выполнена: не подключена ни одна модель.`,
    unreachable: (name, isInGroup) =>
      isInGroup
        ? `Задача «${name}» в группе больше не запускается: писать туда я не могу.`
        : `Задача «${name}» больше не запускается: её темы больше нет. Создайте её заново в другой теме.`,
    'not-allowed': (name) =>
      `Задача «${name}» в группе больше не запускается: вы вышли из неё или её админы отключили задачи.`,
  },
};
