import { defineTexts } from '../../texts/define-texts.ts';
import type { InputCapabilities } from '../../texts/locales.ts';

export const texts = defineTexts({
  en: {
    command: 'What I can do',
    intro: (model: string | undefined) =>
      `Write a message, and ${model ?? 'an AI model'} answers. Reply to an earlier answer to continue from there.`,
    closing: ({ hasSpeechToText, hasTextToSpeech }: InputCapabilities) =>
      `Ask in your own words: “remember that …”, “remind me in 20 minutes …”, “draw a chart of …”.\n\nI read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents with a question; other files get a link.${hasTextToSpeech ? ' 🔊 reads an answer aloud.' : ''} In groups I answer mentions and replies.`,
    topics: {
      conversations: 'Conversations',
      models: 'Models and style',
      memory: 'Memory, tasks and search',
      files: 'Images and files',
      account: 'Your account and data',
    },
    forAdmins: 'For admins:',
  },
  ru: {
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
  },
});
