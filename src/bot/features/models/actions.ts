import { z } from 'zod';
import { retry } from '../../answers/retry.ts';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { origin } from '../../kit/keyboards.ts';

/** Failed answer to retry after the choice. */
const repeated = { retry: retry.optional() };

export const actions = {
  'list-models': { fields: { page: z.number(), search: z.string().optional(), ...repeated, ...origin } },
  'select-model': { fields: { model: z.string(), ...repeated, ...origin } },
  'search-models': { fields: repeated },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'model-search': never;
  }
}
