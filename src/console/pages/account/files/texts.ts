import { defineTexts } from '../../../../texts/define-texts.ts';
import { pluralOf } from '../../../../texts/plural.ts';

export const texts = defineTexts({
  en: {
    upload: 'Upload files',
    drop: 'or drop them here',
    uploadsOff: 'Uploads are switched off here. Files that you send to the bot and save appear in this list.',
    uploads: 'Uploads',
    progress: (name: string) => `Upload of ${name}`,
    waiting: 'waiting',
    cancelUpload: (name: string) => `Cancel the upload of ${name}`,
    kind: 'Show',
    kinds: { all: 'Everything', file: 'Files', conversation: 'Shared conversations' },
    totals: (count: number, size: string) => `${pluralOf('en', count, { one: 'entry', other: 'entries' })}, ${size}`,
    none: 'You have no files here yet.',
    noneFound: (search: string) => `No file matches “${search}”.`,
    downloadsLeft: (count: number) => pluralOf('en', count, { one: 'download left', other: 'downloads left' }),
    telegramOnly: 'only in Telegram',
    hasPassword: 'password',
    isConversation: 'conversation',
    copyLink: 'Copy link',
    open: 'Open',
    changeNamed: (name: string) => `Change ${name}`,
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteBody: (name: string) => `“${name}” is deleted for good, and its link stops working.`,
    name: 'Name',
    expiry: 'Expires',
    expiresAt: (time: string) => `expires ${time}`,
    expiresNever: 'never',
    expiresAfter: (hours: number) =>
      hours < 24
        ? pluralOf('en', hours, { one: 'hour from now', other: 'hours from now' })
        : pluralOf('en', hours / 24, { one: 'day from now', other: 'days from now' }),
    password: 'Password',
    samePassword: (hasPassword: boolean): string => (hasPassword ? 'as it is' : 'none'),
    passwords: { none: 'none', new: 'a new one' },
    newPassword: 'New password',
  },
  ru: {
    upload: 'Загрузить файлы',
    drop: 'или перетащите их сюда',
    uploadsOff: 'Загрузка здесь отключена. В списке будут файлы, которые вы отправите боту и сохраните.',
    uploads: 'Загрузки',
    progress: (name) => `Загрузка «${name}»`,
    waiting: 'в очереди',
    cancelUpload: (name) => `Отменить загрузку «${name}»`,
    kind: 'Показать',
    kinds: { all: 'Всё', file: 'Файлы', conversation: 'Страницы разговоров' },
    totals: (count, size) =>
      `Всего ${pluralOf('ru', count, { one: 'запись', few: 'записи', many: 'записей', other: 'записи' })}, ${size}`,
    none: 'Здесь пока нет ваших файлов.',
    noneFound: (search) => `Нет файлов с «${search}» в имени.`,
    downloadsLeft: (count) =>
      `осталось ${pluralOf('ru', count, { one: 'скачивание', few: 'скачивания', many: 'скачиваний', other: 'скачивания' })}`,
    telegramOnly: 'только в Telegram',
    hasPassword: 'пароль',
    isConversation: 'разговор',
    copyLink: 'Скопировать ссылку',
    open: 'Открыть',
    changeNamed: (name) => `Изменить «${name}»`,
    deleteNamed: (name) => `Удалить «${name}»`,
    deleteBody: (name) => `«${name}» будет удалён навсегда, ссылка перестанет работать.`,
    name: 'Имя',
    expiry: 'Срок хранения',
    expiresAt: (time) => `хранится до ${time}`,
    expiresNever: 'без срока',
    expiresAfter: (hours) =>
      hours < 24
        ? `ещё ${pluralOf('ru', hours, { one: 'час', few: 'часа', many: 'часов', other: 'часа' })}`
        : `ещё ${pluralOf('ru', hours / 24, { one: 'день', few: 'дня', many: 'дней', other: 'дня' })}`,
    password: 'Пароль',
    samePassword: (hasPassword) => (hasPassword ? 'прежний' : 'нет'),
    passwords: { none: 'убрать', new: 'новый' },
    newPassword: 'Новый пароль',
  },
});
