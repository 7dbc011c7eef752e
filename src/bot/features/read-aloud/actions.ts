import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../framework/choice.ts';

const answer = { answerId: z.number() };

export const actions = {
  'read-aloud': { fields: answer, access: 'user-or-admin' },
  /** Below the message about a failed reading. */
  'retry-reading-aloud': { fields: answer },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
