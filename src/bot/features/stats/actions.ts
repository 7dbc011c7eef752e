import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';

const period = { days: z.number() };

export const actions = {
  'show-stats': { fields: period },
  'download-stats': { fields: period },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
