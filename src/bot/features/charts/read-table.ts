import type { AxisChart } from '../../../core/charts/index.ts';
import { ToolError } from '../../../core/tools/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';

export const CHART_TYPES = ['bars', 'stacked_bars', 'lines', 'pie'] as const;

/** Table of numbers to draw. */
export interface ChartTable extends Pick<AxisChart, 'title' | 'series' | 'points'> {
  readonly type: (typeof CHART_TYPES)[number];
  /** Follows each number of the axis; may be empty. */
  readonly unit: string;
}

export const MAX_POINTS = 100;
export const MAX_SERIES = 6;
const MAX_TITLE = 200;
const MAX_NAME = 100;
const MAX_UNIT = 8;
const MAX_VALUE = 1e15;
/** Digits after the decimal point: smaller differences can't be seen. */
const DIGITS = 6;

/** Characters that the bundled font does not have, so that the image would show boxes. */
const UNKNOWN_TO_FONT =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Common}\p{Script=Inherited}]|\p{Emoji_Presentation}|[\u3000-\u30ff\uff00-\uffef]/u;

/** Reads the arguments of a model. @throws ToolError with what to correct. */
export function readTable({ type, title, unit, labels, series }: JsonObject): ChartTable {
  const known = CHART_TYPES.find((one) => one === type);
  if (!known) throw new ToolError(`type must be one of ${CHART_TYPES.join(', ')}`);
  if (typeof title !== 'string' || title.trim() === '') throw new ToolError('title is missing');
  if (!Array.isArray(labels) || labels.length === 0) throw new ToolError('labels must be a list of names');
  if (labels.length > MAX_POINTS) throw new ToolError(`there may be at most ${MAX_POINTS} labels: join some`);
  if (!Array.isArray(series) || series.length === 0) throw new ToolError('series must be a list of name and values');
  if (series.length > MAX_SERIES) throw new ToolError(`there may be at most ${MAX_SERIES} series: make several charts`);
  const columns = series.map((one, at) => readSeries(one, at, labels.length));
  if (known === 'pie') checkPie(columns);
  const table = {
    type: known,
    title: title.slice(0, MAX_TITLE),
    unit: typeof unit === 'string' && unit.trim() !== '' ? ` ${unit.trim().slice(0, MAX_UNIT)}` : '',
    series: columns.map(({ name }) => name),
    points: labels.map((label, at) => ({
      label: toName(label),
      values: columns.map(({ values }) => values[at]),
    })),
  };
  checkCharacters([table.title, table.unit, ...table.series, ...table.points.map(({ label }) => label)]);
  return table;
}

function checkCharacters(texts: readonly string[]): void {
  const text = texts.find((one) => UNKNOWN_TO_FONT.test(one));
  if (text !== undefined)
    throw new ToolError(
      `the chart can't show ${JSON.stringify(text)}: use no emoji, and write other scripts than Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic in Latin letters; your answer can explain them`,
    );
}

interface Column {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

function readSeries(given: unknown, at: number, count: number): Column {
  const { name, values } = isJsonObject(given) ? given : {};
  if (!Array.isArray(values) || values.length !== count)
    throw new ToolError(`series[${at}].values must be a list of ${count} numbers, one for each label`);
  return {
    name: toName(name),
    values: values.map((value, index) => readValue(value, `series[${at}].values[${index}]`)),
  };
}

function readValue(given: unknown, path: string): number | undefined {
  if (given === null) return undefined;
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ToolError(`${path} must be a number or null`);
  if (Math.abs(value) > MAX_VALUE) throw new ToolError(`${path} must be between -${MAX_VALUE} and ${MAX_VALUE}`);
  return Number(value.toFixed(DIGITS));
}

function checkPie([first, ...others]: readonly Column[]): void {
  const values = first?.values.map((value = 0) => value) ?? [];
  if (others.length > 0) throw new ToolError('a pie has one series');
  if (values.some((value) => value < 0)) throw new ToolError('a pie has no negative values');
  if (values.every((value) => value === 0)) throw new ToolError('a pie needs a value above 0');
}

function toName(name: unknown): string {
  return typeof name === 'string' || typeof name === 'number' ? String(name).slice(0, MAX_NAME) : '';
}
