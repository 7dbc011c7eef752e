import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  'show-welcome': { fields: {} },
  'try-asking': { fields: {} },
  'try-drawing': { fields: {} },
  'try-keeping': { fields: {} },
  /** Index of an example in the texts, from 0; or in those of a built-in persona. */
  'ask-example': { fields: { example: z.number(), persona: z.string().optional() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
