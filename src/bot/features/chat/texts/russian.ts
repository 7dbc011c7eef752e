import type { english } from './english.ts';

export const russian: typeof english = {
  inGroups: (listens) =>
    `Ответьте на файл командой /save, и я дам ссылку на него. Документ могу и прочитать: ответьте на него вопросом и упомяните меня.${listens ? ' На голосовые в ответ мне отвечаю.' : ''}`,
};
