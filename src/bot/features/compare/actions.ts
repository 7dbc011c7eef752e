import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';

/** Question to compare answers to. `answerId`: the answer below which the models are chosen; none after `/compare`. */
const question = { questionId: z.number(), answerId: z.number().optional() };
const answer = { answerId: z.number() };
/** The user who asked and, in groups, the chat's admins. */
const access = 'user-or-admin';

export const actions = {
  /** `model`: the model to select or deselect; none to show the list. */
  'choose-compared-models': { fields: { ...question, page: z.number(), model: z.string().optional() }, access },
  /** `models`: as shown on the buttons. */
  'start-comparison': { fields: { ...question, models: z.array(z.string()) }, access },
  'continue-with': { fields: answer, access },
  /** Retry below a compared answer that failed. */
  'retry-compared': { fields: answer, access },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
