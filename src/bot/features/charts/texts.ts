import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: { others: 'Others' },
  ru: { others: 'Прочее' },
});
