import type { Answers } from '../../answers/answers.ts';
import type { WorkScope } from '../../framework/place.ts';
import type { PictureJobs } from '../imagine/picture-jobs.ts';
import type { VoiceJobs } from '../read-aloud/voice-jobs.ts';
import type { SaveJobs } from '../save/save-jobs.ts';

/** All that the bot may be doing for people in chats that it is in. */
export interface OngoingWork {
  readonly answers: Answers;
  readonly drawings: PictureJobs;
  readonly saving: SaveJobs;
  readonly voices: VoiceJobs;
}

/** Ends what is done for the person there, and drops what waits. @returns how much of it there was. */
export async function stopWork({ answers, drawings, saving, voices }: OngoingWork, scope: WorkScope, userId: number) {
  const counts = {
    drawings: drawings.stop(scope, userId),
    saved: saving.stop(scope, userId),
    readings: voices.stop(scope, userId),
  };
  const { stoppedCount, droppedCount } = await answers.stop(scope, userId);
  return { ...counts, answers: stoppedCount, droppedCount };
}

/** Whether something is being done for the person there that can be stopped. */
export function hasWork({ answers, drawings, saving, voices }: OngoingWork, scope: WorkScope, userId: number): boolean {
  return [answers, drawings, saving, voices].some((work) => work.hasWork(scope, userId));
}
