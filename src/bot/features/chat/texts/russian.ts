import type { english } from './english.ts';

export const russian: typeof english = {
  unknownCommand: (command) => `Я не знаю команду ${command}. Что я умею: /help.`,
  unreadable: ({ hasSpeechToText }) =>
    `Я понимаю текст, фото${hasSpeechToText ? ', голосовые' : ''} и документы, а другие файлы сохраняю, но это прочитать не могу. Пришлите, пожалуйста, в таком виде.`,
  onePhotoOfAlbum: 'Я меняю по одной картинке за раз и взял из альбома первую.',
  filesInGroups: (hasSpeechToText) =>
    `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${hasSpeechToText ? ' На голосовые в ответ мне отвечаю.' : ''}`,
};
