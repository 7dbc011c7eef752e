import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';
import { englishSize, englishWait, russianSize, russianWait } from '../../../texts/units.ts';

const ENGLISH_DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const englishFiles = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });
const RUSSIAN_DATE = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const russianFiles = (count: number) =>
  pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const texts = defineTexts({
  en: {
    command: 'Your files',
    buttons: {
      ask: 'Ask about it',
      ownerKey: '🔑 Owner key',
      share: 'Share',
      rename: 'Rename',
      expiry: 'Expiry',
      delete: 'Delete',
      allFiles: 'All files',
      keep: 'Keep it',
      never: 'Never',
      /** Time until the expiry; up to a day in hours. */
      after: (hours: number) =>
        hours < 24
          ? pluralOf('en', hours, { one: 'hour', other: 'hours' })
          : pluralOf('en', hours / 24, { one: 'day', other: 'days' }),
    },
    heading: (count: number, sizeBytes: number) => `Your files: ${count} (${englishSize(sizeBytes)} in total).`,
    found: (count: number, search: string) => `${englishFiles(count)} with “${search}” in the name.`,
    noneFound: (search: string) => `No file matches “${search}”.`,
    empty: 'You have no files here yet. Send me one to get a link to it.',
    onlyPrivate: 'Your files are private. Send me this command in our private chat.',
    askSearch: 'Which file? Send me a part of its name.',
    gone: 'This file no longer exists.',
    expiresAt: (date: Date) => `Expires: ${ENGLISH_DATE.format(date)} UTC`,
    downloadsLeft: (count: number) => pluralOf('en', count, { one: 'download left', other: 'downloads left' }),
    hasPassword: 'Password required.',
    ownerKey: 'Owner key (anyone with it can delete the file):',
    inTelegram: (link: string) => `In Telegram: ${link}`,
    telegramOnly: 'Too large for a download link, but you can share it in Telegram:',
    askName: 'Send me the new name. If you leave out the extension, it stays the same.',
    badName: 'This can’t be used as a file name. Send me another one.',
    renamed: 'Renamed.',
    askExpiry: 'When should it expire, counting from now?',
    expirySaved: 'Saved.',
    askDeletion: 'Delete this file for good? The link will stop working.',
    deleted: (name: string) => `${name} is deleted. The link no longer works.`,
    whichFile: 'Which file? Send its link or id after /delete.',
    unknownFile: 'There is no such file. It may have expired or already been deleted.',
    askOwnerKey:
      'As far as I know, this is not your file. Send me its owner key to delete it. I will delete your message with the key, too.',
    wrongOwnerKey: 'This is not the owner key of that file. Nothing was deleted. Send me the right one.',
    ownerKeyRemains: 'I could not remove your message with the owner key. Please delete it yourself.',
    askQuestion: (name: string) => `What do you want to know about ${name}?`,
    /** Shared conversations. */
    page: {
      count: (count: number) =>
        count === 0 ? 'You have no shared pages. /share creates one.' : `Your shared conversations: ${count}.`,
      inTelegram: (link: string) => `Continue it in Telegram: ${link}`,
      ownerKey: 'Owner key (anyone with it can delete the page):',
      askDeletion: 'Delete this page for good? The link will stop working. The conversation stays in the chat.',
    },
    /** Links to files. */
    link: {
      gone: 'There is no such file. It may have expired or been deleted.',
      usedUp: 'This file has reached its download limit.',
      inUse: 'All downloads that this file has left are running. Try again in a minute.',
      askPassword: (name: string) => `${name} needs a password. Send it to me.`,
      wrongPassword: 'Wrong password. Try again.',
      tooManyPasswords: (waitMs: number) => `Too many wrong passwords. Try again in ${englishWait(waitMs)}.`,
      goneAtTelegram: 'Telegram no longer has this file. Please ask its owner to send it again.',
    },
    inline: {
      link: (size: string) => `${size}, as a link`,
    },
  },
  ru: {
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
    heading: (count, sizeBytes) => `Ваши файлы: ${count} (всего ${russianSize(sizeBytes)}).`,
    found: (count, search) => `${russianFiles(count)} с «${search}» в имени.`,
    noneFound: (search) => `Нет файлов с «${search}» в имени.`,
    empty: 'Здесь пока нет ваших файлов. Пришлите мне файл, и я дам на него ссылку.',
    onlyPrivate: 'Ваши файлы видны только вам. Напишите мне эту команду в личном чате.',
    askSearch: 'Какой файл? Пришлите часть его имени.',
    gone: 'Этого файла больше нет.',
    expiresAt: (date) => `Хранится до: ${RUSSIAN_DATE.format(date)} UTC`,
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
      inTelegram: (link) => `Продолжить его в Telegram: ${link}`,
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
      tooManyPasswords: (waitMs) => `Слишком много неверных паролей. Попробуйте через ${russianWait(waitMs)}.`,
      goneAtTelegram: 'Telegram больше не отдаёт мне этот файл. Попросите владельца прислать его снова.',
    },
    inline: {
      link: (size) => `${size}, ссылкой`,
    },
  },
});
