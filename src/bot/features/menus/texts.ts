import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    cancelled: 'Cancelled.',
  },
  ru: {
    cancelled: 'Отменено.',
  },
});
