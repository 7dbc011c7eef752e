import type { english } from './english.ts';

export const russian: typeof english = {
  searchHint: 'Часть названия или начало ключа. Вставленный ключ сокращается до начала.',
  none: 'Ключей пока нет.',
  noneFound: 'Таких ключей нет.',
};
