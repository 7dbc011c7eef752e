import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

export const russian: typeof english = {
  command: 'Остановить ответ, рисование, файл',
  several: ({ answers, imageJobs, saved, readings }) => {
    const parts = [
      answers > 0 && pluralOf('ru', answers, { one: 'ответ', few: 'ответа', other: 'ответов' }),
      imageJobs > 0 && pluralOf('ru', imageJobs, { one: 'рисунок', few: 'рисунка', other: 'рисунков' }),
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
  droppedWaiting: (count: number) => `Больше не ждут ответа: ${messages(count)}.`,
};
