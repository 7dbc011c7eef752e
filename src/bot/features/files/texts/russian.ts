import { pluralOf } from '../../../texts/plural.ts';
import { russianSize as size, russianWait as wait } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const russian: typeof english = {
  command: 'Ваши файлы',
  buttons: {
    ask: 'Спросить о нём',
    ownerKey: '🔑 Ключ',
    share: 'Поделиться',
    rename: 'Имя',
    expiry: 'Срок',
    delete: 'Удалить',
    allFiles: 'Все файлы',
    keep: 'Оставить',
    never: 'Никогда',
    after: (hours) =>
      hours < 24
        ? pluralOf('ru', hours, { one: 'час', few: 'часа', many: 'часов', other: 'часа' })
        : pluralOf('ru', hours / 24, { one: 'день', few: 'дня', many: 'дней', other: 'дня' }),
  },
  heading: (count, sizeBytes) => `Ваши файлы: ${count} (всего ${size(sizeBytes)}).`,
  found: (count, search) => `${files(count)} с «${search}» в имени.`,
  noneFound: (search) => `Нет файлов с «${search}» в имени.`,
  empty: 'Здесь пока нет ваших файлов. Пришлите мне файл, и я дам на него ссылку.',
  onlyPrivate: 'Ваши файлы видны только вам. Напишите мне эту команду в личном чате.',
  askSearch: 'Какой файл? Пришлите часть его имени.',
  gone: 'Этого файла больше нет.',
  expiresAt: (date) => `Хранится до: ${DATE.format(date)} UTC`,
  downloadsLeft: (count) =>
    `Осталось: ${pluralOf('ru', count, { one: 'скачивание', few: 'скачивания', many: 'скачиваний', other: 'скачивания' })}`,
  hasPassword: 'Нужен пароль.',
  ownerKey: 'Ключ владельца (с ним файл может удалить кто угодно):',
  inTelegram: (link) => `В Telegram: ${link}`,
  telegramOnly: 'Слишком велик для ссылки на скачивание. Внутри Telegram им можно делиться:',
  askName: 'Пришлите новое имя. Расширение можно не писать, тогда оно останется прежним.',
  badName: 'Такого имени у файла быть не может. Пришлите другое.',
  renamed: 'Переименовано.',
  askExpiry: 'Через какое время удалить файл?',
  expirySaved: 'Сохранено.',
  askDeletion: 'Удалить этот файл навсегда? Ссылка перестанет работать.',
  deleted: (name) => `${name} — удалён. Ссылка больше не работает.`,
  whichFile: 'Какой файл? Напишите его ссылку или id после /delete.',
  unknownFile: 'Такого файла нет. Возможно, его срок истёк или он уже удалён.',
  askOwnerKey:
    'Насколько я знаю, это не ваш файл. Пришлите ключ владельца, и я удалю файл. Ваше сообщение с ключом я тоже удалю.',
  wrongOwnerKey: 'Это не ключ владельца этого файла. Ничего не удалено. Пришлите верный.',
  ownerKeyRemains: 'Не получилось убрать ваше сообщение с ключом владельца. Удалите его, пожалуйста, сами.',
  askQuestion: (name) => `Что вы хотите узнать о ${name}?`,
  /** Shared conversations. */
  page: {
    count: (count) =>
      count === 0 ? 'У вас нет страниц. Создать страницу: /share.' : `Разговоры, которыми вы поделились: ${count}.`,
    goOn: (link) => `Продолжить его в Telegram: ${link}`,
    ownerKey: 'Ключ владельца (с ним страницу может удалить кто угодно):',
    askDeletion: 'Удалить эту страницу навсегда? Ссылка перестанет работать. Сам разговор останется в чате.',
  },
  /** Links to files. */
  link: {
    gone: 'Такого файла нет. Возможно, его срок вышел или его удалили.',
    usedUp: 'Лимит скачиваний этого файла исчерпан.',
    inUse: 'Все оставшиеся скачивания этого файла сейчас заняты. Попробуйте через минуту.',
    askPassword: (name) => `${name}: нужен пароль. Пришлите его мне.`,
    wrongPassword: 'Неверный пароль. Попробуйте ещё раз.',
    tooManyPasswords: (waitMs) => `Слишком много неверных паролей. Попробуйте через ${wait(waitMs)}.`,
    goneAtTelegram: 'Telegram больше не отдаёт мне этот файл. Попросите владельца прислать его снова.',
  },
  inline: {
    link: (size) => `${size}, ссылкой`,
  },
};
