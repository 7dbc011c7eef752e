import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

const answer = { answerId: z.number() };

export const actions = {
  /** `batch`: all answers that are written at the same time. */
  stop: { fields: { ...answer, batch: z.number().optional() } },
  /** Drops the questions that are queued after an answer. */
  'drop-waiting': { fields: answer },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
