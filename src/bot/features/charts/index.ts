import { WorkQueue } from '../../../lib/work-queue.ts';
import { defineFeature } from '../../framework/feature.ts';
import { createDrawChartTool, type DrawChartServices } from './draw-chart-tool.ts';

/** Charts that are drawn at the same time, and that wait. */
const CHART_QUEUE = { total: 2, maxWaiting: 50, maxWaitingPerOwner: 3 };

/** The tool `draw_chart`: charts of numbers in answers. */
export const charts = defineFeature({
  create: (services: DrawChartServices) => {
    const queue = new WorkQueue<number>(CHART_QUEUE);
    return { tools: (answer) => [createDrawChartTool(services, queue, answer)] };
  },
});
