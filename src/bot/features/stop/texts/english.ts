import { pluralOf } from '../../../texts/plural.ts';

const waitingMessages = (count: number) =>
  pluralOf('en', count, { one: 'waiting message was', other: 'waiting messages were' });

/** Number of stopped jobs by kind. */
interface StoppedCounts {
  readonly answers: number;
  readonly imageJobs: number;
  readonly saved: number;
  readonly readings: number;
}

export const english = {
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
};
