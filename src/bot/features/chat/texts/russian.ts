import type { english } from './english.ts';

export const russian: typeof english = {
  unknownCommand: (command) => `Я не знаю команду ${command}. Что я умею: /help.`,
  unreadable: ({ listens }) =>
    `Я понимаю текст, фото${listens ? ', голосовые' : ''} и документы и храню другие файлы. Пришлите, пожалуйста, в таком виде.`,
  onePhotoOfAlbum: 'Я меняю по одной картинке за раз и взял из альбома первую.',
  filesInGroups: (listens) =>
    `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${listens ? ' На голосовые в ответ мне отвечаю.' : ''}`,
};
