import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';

const answer = { answerId: z.number() };

export const actions = {
  /** `batch`: all answers that are written at the same time. */
  stop: { fields: { ...answer, batch: z.number().optional() } },
  /** Drops the questions that are queued after an answer. */
  'drop-waiting': { fields: answer },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
