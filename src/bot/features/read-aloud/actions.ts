import { z } from 'zod';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

const answer = { answerId: z.number() };

export const actions = {
  'read-aloud': { fields: answer, audience: 'user-or-admin' },
  /** Below the message about a failed reading. */
  'retry-reading-aloud': { fields: answer },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
