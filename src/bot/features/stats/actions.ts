import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { CHART_KINDS } from '../../kit/charts.ts';

const period = { days: z.number() };

export const actions = {
  'show-stats': { fields: period },
  'show-stats-chart': { fields: { ...period, chart: z.enum(['requests', ...CHART_KINDS]) } },
  'show-month': { fields: { month: z.string() } },
  'set-monthly-summary': { fields: { month: z.string(), isOn: z.boolean() } },
  'download-stats': { fields: period },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
