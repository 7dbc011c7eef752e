export type { AxisChart } from './axes.ts';
export { type BarChart, drawBarChart } from './bar-chart.ts';
export { drawLineChart } from './line-chart.ts';
export { drawPieChart } from './pie-chart.ts';
