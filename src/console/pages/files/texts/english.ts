import { pluralOf } from '../../../../bot/texts/plural.ts';

export const english = {
  upload: 'Upload files',
  drop: 'or drop them here',
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
  passwordKept: (hasPassword: boolean): string => (hasPassword ? 'as it is' : 'none'),
  passwords: { none: 'none', new: 'a new one' },
  newPassword: 'New password',
};
