import type { english } from './english.ts';

export const russian: typeof english = {
  up: 'Спасибо за отзыв.',
  down: 'Спасибо за отзыв.',
  takenBack: 'Отзыв убран.',
};
