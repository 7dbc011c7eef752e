import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/choice.ts';

const answer = { answerId: z.number() };

export const actions = {
  stop: { fields: answer },
  /** Drops the questions that are queued after an answer. */
  'drop-waiting': { fields: answer },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
