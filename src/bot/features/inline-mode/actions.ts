import { z } from 'zod';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

const audience = 'inline';

export const actions = {
  /** Below what stands for a question in a message of inline mode or of a guest. */
  'answer-inline': { fields: { question: z.string(), isGuest: z.boolean().optional() }, audience },
  'stop-inline': { fields: { answerId: z.number() }, audience },
  /** Below an answer there that has failed. */
  'retry-inline': { fields: { answerId: z.number() }, audience },
} satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
