import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';
import { CHART_KINDS } from '../../framework/daily-chart.ts';

export const actions = {
  'show-usage': { fields: { chart: z.enum(CHART_KINDS) } },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
