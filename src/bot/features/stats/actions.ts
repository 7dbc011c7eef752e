import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/choice.ts';

const period = { days: z.number() };

export const actions = {
  'show-stats': { fields: period },
  'download-stats': { fields: period },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
