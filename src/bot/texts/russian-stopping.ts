import type { englishStopping } from './english-stopping.ts';
import { pluralOf } from './plural.ts';

/** The bot's own words about ending what it does, in Russian. */
export const russianStopping: typeof englishStopping = {
  several: ({ answers, drawings, saved, readings }) => {
    const parts = [
      answers > 0 && pluralOf('ru', answers, { one: 'ответ', few: 'ответа', other: 'ответов' }),
      drawings > 0 && pluralOf('ru', drawings, { one: 'рисунок', few: 'рисунка', other: 'рисунков' }),
      saved > 0 && 'сохранение файлов',
      readings > 0 &&
        pluralOf('ru', readings, {
          one: 'голосовое сообщение',
          few: 'голосовых сообщения',
          other: 'голосовых сообщений',
        }),
    ];
    return `Остановлено: ${parts.filter(Boolean).join(', ')}.`;
  },
  nothingOfYours: 'Вашего здесь останавливать нечего. То, о чём просили другие, остановят они сами.',
  elsewhere: 'В других темах я продолжаю: /stop там остановит и это.',
};
