import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { useLocale } from '../view-context.ts';

/** Values with one name, for each day of the chart. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface ChartProps {
  /** Name of the chart for screen readers. */
  readonly label: string;
  /** Days as `2026-11-24`. */
  readonly days: readonly string[];
  /** Stacked bars, from the bottom. */
  readonly series: readonly Series[];
  readonly formatValue: (value: number) => string;
}

const HEIGHT = 220;
/** Distances of ticks for numbers such as requests, which have no fractions. */
const WHOLE_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];

/** A chart of days with stacked bars. */
export function Chart({ label, days, series, formatValue }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const locale = useLocale();
  const scheme = useColourScheme();
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const toColour = (variable: string) => readColour(element, variable);
    const axis = { stroke: toColour('--dim'), grid: { stroke: toColour('--line'), width: 1 }, ticks: { show: false } };
    const sums = stack(series);
    const areWhole = sums.flat().every(Number.isInteger);
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.05 : 1] } },
        axes: [
          { ...axis, grid: { show: false }, values: (_chart, splits) => splits.map((at) => format.format(at * 1000)) },
          {
            ...axis,
            ...(areWhole && { incrs: WHOLE_STEPS }),
            size: 70,
            values: (_chart, splits) => splits.map(formatValue),
          },
        ],
        series: [
          {},
          // The highest sum is drawn first, the others in front of it.
          ...series
            .map((_one, index) => ({
              fill: toColour(COLOURS[index % COLOURS.length] ?? ''),
              width: 0,
              points: { show: false },
              ...(bars && { paths: bars }),
            }))
            .reverse(),
        ],
      },
      [days.map((day) => Date.parse(day) / 1000), ...sums.toReversed()],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days, series, formatValue, locale, scheme]);
  return (
    <figure class="chart">
      <div ref={container} role="img" aria-label={label} />
      <figcaption>
        <ul class="legend">
          {series.map(({ name, values }, index) => (
            <li key={name}>
              <span class={`swatch swatch-${(index % COLOURS.length) + 1}`} />
              {name}: {formatValue(values.reduce((sum, value) => sum + value, 0))}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

/** Returns the value of a CSS variable as canvases understand it: without `light-dark()`. */
function readColour(element: HTMLElement, variable: string): string {
  element.style.color = `var(${variable})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Returns whether the page is dark, also after changes. */
function useColourScheme(): boolean {
  const [isDark, setIsDark] = useState(DARK.matches);
  useEffect(() => {
    const onChange = () => setIsDark(DARK.matches);
    DARK.addEventListener('change', onChange);
    return () => DARK.removeEventListener('change', onChange);
  }, []);
  return isDark;
}

/** Returns for each series the sums of it and those below. */
function stack(series: readonly Series[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return sums;
}
