import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    searchHint:
      'A part of the name, or the beginning of the key. You can paste a whole key; only its beginning is used.',
    none: 'There are no keys yet.',
    noneFound: 'No key matches.',
  },
  ru: {
    searchHint: 'Часть названия или начало ключа. Вставленный ключ сокращается до начала.',
    none: 'Ключей пока нет.',
    noneFound: 'Таких ключей нет.',
  },
});
