import type { english } from './english.ts';

export const russian: typeof english = {
  command: 'Что я умею',
  intro: (model) =>
    `Напишите сообщение, и ${model ?? 'модель ИИ'} ответит. Ответьте на прежний ответ, чтобы продолжить с него.`,
  closing: ({ hasSpeechToText, hasTextToSpeech }) =>
    `Я понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы с вопросом; другим файлам даю ссылку.${hasTextToSpeech ? ' 🔊 прочтёт ответ вслух.' : ''} В группах отвечаю на упоминания и ответы мне.`,
  forAdmins: 'Для администраторов:',
};
