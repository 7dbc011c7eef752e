import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';

const waitingMessages = (count: number) =>
  pluralOf('en', count, { one: 'waiting message was', other: 'waiting messages were' });
/** Number of stopped jobs by kind. */
interface StoppedCounts {
  readonly answers: number;
  readonly imageJobs: number;
  readonly saved: number;
  readonly readings: number;
}
const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });

export const texts = defineTexts({
  en: {
    command: 'Stop what I’m doing',
    several: ({ answers, imageJobs, saved, readings }: StoppedCounts) => {
      const parts = [
        answers > 0 && pluralOf('en', answers, { one: 'answer', other: 'answers' }),
        imageJobs > 0 && pluralOf('en', imageJobs, { one: 'image', other: 'images' }),
        saved > 0 && 'saving of files',
        readings > 0 && pluralOf('en', readings, { one: 'voice message', other: 'voice messages' }),
      ];
      return `Stopped: ${parts.filter(Boolean).join(', ')}.`;
    },
    nothingOfYours: 'Nothing of yours is running here. Only the users who asked can stop the rest.',
    elsewhere: 'Your requests in other topics continue. Send /stop there to stop them.',
    droppedWaiting: (count: number) => `${waitingMessages(count)} discarded.`,
  },
  ru: {
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
  },
});
