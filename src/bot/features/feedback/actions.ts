import { z } from 'zod';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

export const actions = {
  'rate-answer': { fields: { answerId: z.number(), rating: z.enum(['up', 'down']) }, audience: 'everyone' },
} as const satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
