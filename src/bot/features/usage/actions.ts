import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { CHART_KINDS } from '../../kit/charts.ts';

export const actions = {
  'show-usage': { fields: { chart: z.enum(CHART_KINDS) } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
