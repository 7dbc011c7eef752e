import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    greeting: (model: string | undefined) =>
      [
        `Hi! Write me a message and ${model ?? 'an AI model'} will answer.`,
        '',
        'I also create images, look at photos, read documents and save files. Reply to an earlier answer to continue from there.',
        '',
        'Try one of these, or just write. /help has everything else.',
      ].join('\n'),
    greetingToGroup: (username: string) =>
      `Hi! Mention me (@${username}) or reply to one of my messages, and I will answer. Otherwise I stay quiet.`,
    buttons: { ask: 'Ask something', draw: 'Create an image', keep: 'Save a file', persona: 'Choose a persona' },
    askSomething: 'Write me anything, or try one of these:',
    /** Short enough for a button; each is sent as the question. */
    examples: [
      'Explain black holes to a child',
      'Plan a weekend in Lisbon',
      'Three dinners from eggs and rice',
    ] as readonly string[],
    asked: (question: string) => `You asked: ${question}`,
    keepFile:
      'Send me any file to get a link to it. Add a question as the caption, and I’ll read the document or look at the photo. /files lists your files.',
  },
  ru: {
    greeting: (model) =>
      [
        `Здравствуйте! Напишите мне, и ${model ?? 'модель ИИ'} ответит.`,
        '',
        'Ещё я рисую, рассматриваю фото, читаю документы и храню файлы. Ответьте на прежний ответ, чтобы продолжить с него.',
        '',
        'Попробуйте или просто напишите. Всё остальное: /help.',
      ].join('\n'),
    greetingToGroup: (username) =>
      `Здравствуйте! Упомяните меня (@${username}) или ответьте на моё сообщение, и я отвечу. В остальное время я молчу.`,
    buttons: { ask: 'Спросить', draw: 'Нарисовать', keep: 'Сохранить файл', persona: 'Выбрать роль' },
    askSomething: 'Напишите что угодно или возьмите один из этих вопросов:',
    examples: ['Объясни ребёнку чёрные дыры', 'Выходные в Лиссабоне: план', 'Три ужина из яиц и риса'],
    asked: (question) => `Вы спрашиваете: ${question}`,
    keepFile:
      'Пришлите сейчас любой файл, и я дам на него ссылку. С вопросом в подписи я читаю документы и рассматриваю фото. Что я храню, покажет /files.',
  },
});
