import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';

const access = 'inline';

export const actions = {
  /** Below the placeholder of an inline or guest question. */
  'answer-inline': { fields: { question: z.string(), isGuest: z.boolean().optional() }, access },
  'stop-inline': { fields: { answerId: z.number() }, access },
  /** Below a failed answer in an inline or guest message. */
  'retry-inline': { fields: { answerId: z.number() }, access },
} satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
