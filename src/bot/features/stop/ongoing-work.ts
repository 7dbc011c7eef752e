import type { Answers } from '../../answers/answers.ts';
import type { WorkScope } from '../../framework/chat-topic.ts';
import type { ImageJobRunner } from '../imagine/image-job-runner.ts';
import type { VoiceJobs } from '../read-aloud/voice-jobs.ts';
import type { SaveJobs } from '../save/save-jobs.ts';

/** Jobs that the bot runs for users in its chats. */
export interface OngoingWork {
  readonly answers: Answers;
  readonly imageJobs: ImageJobRunner;
  readonly saving: SaveJobs;
  readonly voices: VoiceJobs;
}

/** Stops the user's jobs in the scope and drops the queued ones. @returns their numbers by kind. */
export async function stopWork({ answers, imageJobs, saving, voices }: OngoingWork, scope: WorkScope, userId: number) {
  const counts = {
    imageJobs: imageJobs.stop(scope, userId),
    saved: saving.stop(scope, userId),
    readings: voices.stop(scope, userId),
  };
  const { stoppedCount, droppedCount } = await answers.stop(scope, userId);
  return { ...counts, answers: stoppedCount, droppedCount };
}

/** Returns whether the user has a job in the scope that can be stopped. */
export function hasWork(
  { answers, imageJobs, saving, voices }: OngoingWork,
  scope: WorkScope,
  userId: number,
): boolean {
  return [answers, imageJobs, saving, voices].some((work) => work.hasWork(scope, userId));
}
