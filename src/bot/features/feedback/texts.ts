import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    up: 'Thanks for the feedback.',
    down: 'Thanks for the feedback.',
    takenBack: 'Feedback removed.',
  },
  ru: {
    up: 'Спасибо за отзыв.',
    down: 'Спасибо за отзыв.',
    takenBack: 'Отзыв убран.',
  },
});
