import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';

export const actions = {
  'show-welcome': { fields: {} },
  'try-asking': { fields: {} },
  'try-drawing': { fields: {} },
  'try-keeping': { fields: {} },
  /** Which of the questions in the texts, from 0; or that of a persona which comes along. */
  'ask-example': { fields: { example: z.number(), persona: z.string().optional() } },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
