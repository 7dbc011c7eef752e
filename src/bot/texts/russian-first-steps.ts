import type { englishFirstSteps } from './english-first-steps.ts';

/** The bot's own words about first steps, in Russian. */
export const russianFirstSteps: typeof englishFirstSteps = {
  buttons: { ask: 'Спросить', draw: 'Нарисовать', keep: 'Сохранить файл', persona: 'Кто отвечает' },
  askSomething: 'Напишите что угодно или возьмите один из этих вопросов:',
  examples: ['Объясни ребёнку чёрные дыры', 'Выходные в Лиссабоне: план', 'Три ужина из яиц и риса'],
  asked: (question) => `Вы спрашиваете: ${question}`,
  keepFile:
    'Пришлите сейчас любой файл, и я дам на него ссылку. С вопросом в подписи я читаю документы и рассматриваю фото. Что я храню, покажет /files.',
};
