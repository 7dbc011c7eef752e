import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianSize, russianWait } from './russian-units.ts';

const DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** The bot's own words about files, in Russian. */
export const russianFiles: Texts['files'] = {
  size: russianSize,
  buttons: {
    ownerKey: '🔑 Ключ',
    copyLink: 'Скопировать ссылку',
    share: 'Поделиться',
    rename: 'Имя',
    expiry: 'Срок',
    delete: 'Удалить',
  },
  expiresAt: (date) => `Хранится до: ${DATE.format(date)} UTC`,
  downloadsLeft: (count) =>
    `Осталось: ${pluralOf('ru', count, { one: 'скачивание', few: 'скачивания', many: 'скачиваний', other: 'скачивания' })}`,
  hasPassword: 'Нужен пароль.',
  ownerKey: 'Ключ владельца (с ним файл может удалить кто угодно):',
  inTelegram: (link) => `В Telegram: ${link}`,
  telegramOnly: 'Слишком велик для ссылки на скачивание. Внутри Telegram им можно делиться:',
  kinds: {
    document: 'файл',
    photo: 'фото',
    video: 'видео',
    audio: 'аудио',
    voice: 'голосовое',
    animation: 'анимация',
    sticker: 'стикер',
    video_note: 'видеосообщение',
  },
  inGroups: (listens) =>
    `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${listens ? ' На голосовые в ответ мне отвечаю.' : ''}`,
  gone: 'Такого файла нет. Возможно, его срок вышел или его удалили.',
  usedUp: 'Лимит скачиваний этого файла исчерпан.',
  askPassword: (name) => `${name}: нужен пароль. Пришлите его мне.`,
  wrongPassword: 'Неверный пароль. Попробуйте ещё раз.',
  tooManyPasswords: (waitMs) => `Слишком много неверных паролей. Попробуйте через ${russianWait(waitMs)}.`,
  goneAtTelegram: 'Telegram больше не отдаёт мне этот файл. Попросите владельца прислать его снова.',
};
