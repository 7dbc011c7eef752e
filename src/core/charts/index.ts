export { type BarChart, drawBarChart } from './bar-chart.ts';
