import { WorkQueue } from '../../../lib/work-queue.ts';
import type { Feature } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { createDrawChartTool } from './draw-chart-tool.ts';

/** Charts that are drawn at the same time, and that wait. */
const CHART_QUEUE = { total: 2, maxWaiting: 50, maxWaitingPerOwner: 3 };

/** The tool `draw_chart`: charts of numbers in answers. */
export const charts: Feature = {
  create: (services: BotServices) => {
    const queue = new WorkQueue<number>(CHART_QUEUE);
    return { tools: (answer) => [createDrawChartTool(services, queue, answer)] };
  },
};
