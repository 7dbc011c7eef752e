import type { english } from './english.ts';

export const russian: typeof english = {
  link: 'Ссылки без вопроса я не открываю. Нажмите, чтобы прочитать эту страницу.',
  readPage: 'Прочитать страницу',
};
