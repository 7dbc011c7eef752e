import { z } from 'zod';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

const audience = 'inline';

export const actions = {
  /** Below the placeholder of an inline or guest question. */
  'answer-inline': { fields: { question: z.string(), isGuest: z.boolean().optional() }, audience },
  'stop-inline': { fields: { answerId: z.number() }, audience },
  /** Below a failed answer in an inline or guest message. */
  'retry-inline': { fields: { answerId: z.number() }, audience },
} satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
