import { pluralOf } from '../../../texts/plural.ts';

const messages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });

/** Number of stopped jobs by kind. */
interface StoppedCounts {
  readonly answers: number;
  readonly imageJobs: number;
  readonly saved: number;
  readonly readings: number;
}

export const english = {
  command: 'Stop the answer, the drawing, the file',
  several: ({ answers, imageJobs, saved, readings }: StoppedCounts) => {
    const parts = [
      answers > 0 && pluralOf('en', answers, { one: 'answer', other: 'answers' }),
      imageJobs > 0 && pluralOf('en', imageJobs, { one: 'drawing', other: 'drawings' }),
      saved > 0 && 'the keeping of files',
      readings > 0 && pluralOf('en', readings, { one: 'voice message', other: 'voice messages' }),
    ];
    return `Stopped: ${parts.filter(Boolean).join(', ')}.`;
  },
  nothingOfYours: 'There is nothing of yours to stop here. What others have asked for, they can stop.',
  elsewhere: 'What I do for you in other topics goes on: /stop there ends it.',
  droppedWaiting: (count: number) => `${messages(count)} that waited won't be answered.`,
};
