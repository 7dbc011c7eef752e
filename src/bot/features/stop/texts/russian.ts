import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

export const russian: typeof english = {
  command: 'Остановить то, что я делаю',
  several: ({ answers, imageJobs, saved, readings }) => {
    const parts = [
      answers > 0 && pluralOf('ru', answers, { one: 'ответ', few: 'ответа', other: 'ответов' }),
      imageJobs > 0 && pluralOf('ru', imageJobs, { one: 'картинка', few: 'картинки', other: 'картинок' }),
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
  nothingOfYours: 'Ваших запросов здесь нет. Остальные могут остановить только те, кто их отправил.',
  elsewhere: 'Ваши запросы в других темах продолжаются. Чтобы остановить их, отправьте /stop там.',
  droppedWaiting: (count: number) => `Больше не ждут ответа: ${messages(count)}.`,
};
