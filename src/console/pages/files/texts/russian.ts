import { pluralOf } from '../../../../bot/texts/plural.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
  upload: 'Загрузить файлы',
  drop: 'или перетащите их сюда',
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
  passwordKept: (hasPassword) => (hasPassword ? 'прежний' : 'нет'),
  passwords: { none: 'убрать', new: 'новый' },
  newPassword: 'Новый пароль',
};
