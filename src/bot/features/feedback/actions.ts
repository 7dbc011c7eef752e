import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  'rate-answer': { fields: { answerId: z.number(), rating: z.enum(['up', 'down']) }, access: 'everyone' },
} as const satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
