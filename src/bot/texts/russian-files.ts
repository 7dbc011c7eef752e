import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianSize, russianWait } from './russian-units.ts';

const DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const files = (count: number) => pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

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
  several: files,
  saving: (subject, course) => `Сохраняю: ${subject}… ${course}`,
  waiting: (subject, ahead) =>
    ahead === 0 ? `Жду свободного места: ${subject}` : `Жду: до этого ещё ${files(ahead)} от вас. ${subject}`,
  savedSeveral: (saved, all) => (saved === all ? `${files(all)}:` : `Сохранено ${saved} из ${all}:`),
  aboutSeveral:
    'Под каждой ссылкой скрыт ключ владельца: с ним файл может удалить кто угодно. /files переименует, задаст срок, удалит.',
  aboutSeveralWithoutKeys: '/files переименует, задаст срок, удалит.',
  aboutSeveralInGroup: 'Кто отправил /save, найдёт их в личном чате со мной по команде /files.',
  howToSave:
    'Ответьте на фото или файл командой /save, и я дам ссылку. В личном чате ссылку получает любой файл без подписи; добавьте в подписи вопрос, и я его прочту.',
  inGroups: (listens) =>
    `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${listens ? ' На голосовые в ответ мне отвечаю.' : ''}`,
  gone: 'Такого файла нет. Возможно, его срок вышел или его удалили.',
  usedUp: 'Лимит скачиваний этого файла исчерпан.',
  askPassword: (name) => `${name}: нужен пароль. Пришлите его мне.`,
  wrongPassword: 'Неверный пароль. Попробуйте ещё раз.',
  tooManyPasswords: (waitMs) => `Слишком много неверных паролей. Попробуйте через ${russianWait(waitMs)}.`,
  goneAtTelegram: 'Telegram больше не отдаёт мне этот файл. Попросите владельца прислать его снова.',
  cutShort: 'Мне пришлось перезапуститься раньше, чем это было сделано. Пришлите ещё раз.',
  failures: {
    quota: (waitMs) => `Дневной лимит хранения исчерпан. Попробуйте через ${russianWait(waitMs)}.`,
    blocked: 'Владелец бота не хранит этот файл.',
    storageUnavailable: 'Сейчас я не могу сохранять файлы. Попробуйте через минуту.',
    diskFull:
      'На диске бота закончилось место, файлы сейчас не сохраняются. Сообщите владельцу бота и попробуйте позже.',
    telegramUnavailable: 'Не удалось загрузить файл из Telegram. Попробуйте ещё раз.',
    queueFull: 'Уже слишком много ваших файлов ждёт. Попробуйте, когда часть из них будет готова.',
    interrupted: 'Мне пришлось перезапуститься раньше, чем файл был сохранён. «Повторить» возьмёт его снова.',
    internal: 'Что-то пошло не так, и файл не сохранён. Попробуйте ещё раз.',
  },
};
