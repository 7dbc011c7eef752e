import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    unknownCommand: (command: string) => `I don’t know ${command}. /help lists what I can do.`,
    unreadable: ({ hasSpeechToText }: { readonly hasSpeechToText: boolean }) =>
      `I can read text, photos${hasSpeechToText ? ', voice messages' : ''} and documents, and save other files, but I can’t read this. Please send it as one of these.`,
    onePhotoOfAlbum: 'I edit one image at a time and used the first one of your album.',
    filesInGroups: (hasSpeechToText: boolean) =>
      `Reply to the file with /save to get a link. To ask about a document, reply to it with a question and mention me.${hasSpeechToText ? ' I answer voice messages in reply to me.' : ''}`,
  },
  ru: {
    unknownCommand: (command) => `Я не знаю команду ${command}. Что я умею: /help.`,
    unreadable: ({ hasSpeechToText }) =>
      `Я понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы, а другие файлы сохраняю, но это прочитать не могу. Пришлите, пожалуйста, в таком виде.`,
    onePhotoOfAlbum: 'Я меняю по одной картинке за раз и взял из альбома первую.',
    filesInGroups: (hasSpeechToText) =>
      `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${hasSpeechToText ? ' На голосовые в ответ мне отвечаю.' : ''}`,
  },
});
