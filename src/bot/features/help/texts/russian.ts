import type { english } from './english.ts';

export const russian: typeof english = {
  command: 'Что я умею',
  intro: (model) =>
    `Напишите сообщение, и ${model ?? 'модель ИИ'} ответит. Ответьте на прежний ответ, чтобы продолжить с него.`,
  closing: ({ hasSpeechToText, hasTextToSpeech }) =>
    `Просите своими словами: «запомни, что …», «напомни через 20 минут …», «нарисуй диаграмму …».\n\nЯ понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы с вопросом; другим файлам даю ссылку.${hasTextToSpeech ? ' 🔊 прочтёт ответ вслух.' : ''} В группах отвечаю на упоминания и ответы мне.`,
  topics: {
    conversations: 'Разговоры',
    models: 'Модели и стиль',
    memory: 'Память, задачи и поиск',
    files: 'Изображения и файлы',
    account: 'Аккаунт и данные',
  },
  forAdmins: 'Для администраторов:',
};
