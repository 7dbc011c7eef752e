import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../framework/choice.ts';

export const actions = {
  'rate-answer': { fields: { answerId: z.number(), rating: z.enum(['up', 'down']) }, access: 'everyone' },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
