import type { WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';

/** Stops the user's jobs in the scope and drops the queued ones. @returns their numbers by kind. */
export async function stopWork(
  { answers, imageJobRunner, saving, voices }: BotServices,
  scope: WorkScope,
  userId: number,
) {
  const counts = {
    imageJobs: imageJobRunner.stop(scope, userId),
    saved: saving.stop(scope, userId),
    readings: voices.stop(scope, userId),
  };
  const { stoppedCount, droppedCount } = await answers.stop(scope, userId);
  return { ...counts, answers: stoppedCount, droppedCount };
}

/** Returns whether the user has a job in the scope that can be stopped. */
export function hasWork(
  { answers, imageJobRunner, saving, voices }: BotServices,
  scope: WorkScope,
  userId: number,
): boolean {
  return [answers, imageJobRunner, saving, voices].some((work) => work.hasWork(scope, userId));
}
