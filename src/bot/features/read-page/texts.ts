import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    link: 'I don’t open bare links. Tap to read this page.',
    readPage: 'Read the page',
  },
  ru: {
    link: 'Ссылки без вопроса я не открываю. Нажмите, чтобы прочитать эту страницу.',
    readPage: 'Прочитать страницу',
  },
});
