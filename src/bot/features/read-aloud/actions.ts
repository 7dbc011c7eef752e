import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';

const answer = { answerId: z.number() };

export const actions = {
  'read-aloud': { fields: answer, access: 'user-or-admin' },
  /** Below the message about a failed reading. */
  'retry-reading-aloud': { fields: answer },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
