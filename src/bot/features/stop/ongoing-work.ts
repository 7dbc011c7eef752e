import type { Answers } from '../../answers/answers.ts';
import type { WorkScope } from '../../framework/place.ts';
import type { PictureJobs } from '../imagine/picture-jobs.ts';
import type { VoiceJobs } from '../read-aloud/voice-jobs.ts';
import type { SaveJobs } from '../save/save-jobs.ts';

/** Jobs that the bot runs for users in its chats. */
export interface OngoingWork {
  readonly answers: Answers;
  readonly drawings: PictureJobs;
  readonly saving: SaveJobs;
  readonly voices: VoiceJobs;
}

/** Stops the user's jobs in the scope and drops the queued ones. @returns their numbers by kind. */
export async function stopWork({ answers, drawings, saving, voices }: OngoingWork, scope: WorkScope, userId: number) {
  const counts = {
    drawings: drawings.stop(scope, userId),
    saved: saving.stop(scope, userId),
    readings: voices.stop(scope, userId),
  };
  const { stoppedCount, droppedCount } = await answers.stop(scope, userId);
  return { ...counts, answers: stoppedCount, droppedCount };
}

/** Returns whether the user has a job in the scope that can be stopped. */
export function hasWork({ answers, drawings, saving, voices }: OngoingWork, scope: WorkScope, userId: number): boolean {
  return [answers, drawings, saving, voices].some((work) => work.hasWork(scope, userId));
}
