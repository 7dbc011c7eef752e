import { InputFile } from 'grammy';
import { type AxisChart, drawBarChart, drawLineChart, drawPieChart } from '../../core/charts/index.ts';
import { type ToolContext, ToolError } from '../../core/tools/index.ts';
import { QueueFullError, WorkQueue } from '../../lib/async/work-queue.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import type { Locale } from '../../texts/locale.ts';
import type { Answer } from '../answers/answer.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { Feature, FeatureTool } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/** Charts that are drawn at the same time, and that wait. */
const CHART_QUEUE = { total: 2, maxWaiting: 50, maxWaitingPerOwner: 3 };

/** The tool `draw_chart`: charts of numbers in answers. */
export const charts: Feature = {
  create: (services: BotServices) => {
    const queue = new WorkQueue<number>(CHART_QUEUE);
    return { tools: (answer) => [createDrawChartTool(services, queue, answer)] };
  },
};

const MAX_CALLS = 4;
/** Below this number, axes show numbers in full. */
const COMPACT_FROM = 10_000;

/** Creates the tool that lets a model send a chart of numbers to the chat. */
function createDrawChartTool(
  { client, logger }: BotServices,
  queue: WorkQueue<number>,
  { context, replyTo }: Pick<Answer, 'context' | 'replyTo'>,
): FeatureTool {
  const send = async (image: Buffer, signal: AbortSignal) => {
    const { chatTopic } = context;
    const options = toSendOptions(chatTopic, replyTo);
    const photo = new InputFile(image, 'chart.png');
    await client.withPriority('final').sendPhoto(chatTopic.chatId, photo, options, toGrammySignal(signal));
  };
  const run = async (table: ChartTable, { userId, signal }: ToolContext) => {
    const work = () => drawChart(table, context.texts.locale);
    const image = await queue.run(work, { owner: userId, signal });
    signal.throwIfAborted();
    await send(image, signal);
  };
  return {
    name: 'draw_chart',
    description:
      'Draws a chart of numbers and sends it to the chat as a photo, by itself. Use it when the user asks for a chart, diagram or graph, ' +
      'with numbers that you know or have found. Afterwards only say in a few words what it shows; do not link it.',
    parameters: PARAMETERS,
    activity: 'drawing',
    maxCalls: MAX_CALLS,
    async run(parameters, toolContext) {
      const table = readTable(parameters);
      try {
        await run(table, toolContext);
        return 'The chart was sent to the chat.';
      } catch (error) {
        if (toolContext.signal.aborted) throw toolContext.signal.reason;
        if (error instanceof QueueFullError) throw new ToolError('too many charts are being drawn right now');
        logger.warn({ err: error }, 'a chart was not sent');
        throw new ToolError('the chart could not be sent', { cause: error });
      }
    },
  };
}

function drawChart({ type, title, unit, points, series }: ChartTable, locale: Locale): Promise<Buffer> {
  if (type === 'pie') {
    const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
    const slices = points.map(({ label, values: [value = 0] }) => ({ name: label, value }));
    return drawPieChart({ title, slices, others: texts[locale].others, formatShare: (one) => share.format(one) });
  }
  const values = points.flatMap((point) => point.values.map((value = 0) => Math.abs(value)));
  const number = new Intl.NumberFormat(
    locale,
    Math.max(...values) < COMPACT_FROM
      ? { maximumSignificantDigits: 6 }
      : { notation: 'compact', maximumSignificantDigits: 4 },
  );
  const formatNumber = (value: number) => number.format(value) + unit;
  const chart = { title, series, points, hasFractions: true, formatNumber };
  return type === 'lines' ? drawLineChart(chart) : drawBarChart({ ...chart, isGrouped: type === 'bars' });
}

const CHART_TYPES = ['bars', 'stacked_bars', 'lines', 'pie'] as const;

/** Table of numbers to draw. */
interface ChartTable extends Pick<AxisChart, 'title' | 'series' | 'points'> {
  readonly type: (typeof CHART_TYPES)[number];
  /** Follows each number of the axis; may be empty. */
  readonly unit: string;
}

const MAX_POINTS = 100;
const MAX_SERIES = 6;

const PARAMETERS = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: CHART_TYPES },
    title: { type: 'string', description: 'In the language of the user' },
    unit: { type: 'string', description: 'Short unit of the numbers, such as €, % or km' },
    labels: {
      type: 'array',
      items: { type: 'string' },
      maxItems: MAX_POINTS,
      description: 'Names of the points, in order',
    },
    series: {
      type: 'array',
      maxItems: MAX_SERIES,
      description: 'One for each colour; a pie has one',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          values: {
            type: 'array',
            items: { type: 'number' },
            description: 'One for each label',
          },
        },
        required: ['name', 'values'],
      },
    },
  },
  required: ['type', 'title', 'labels', 'series'],
};

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
function readTable({ type, title, unit, labels, series }: JsonObject): ChartTable {
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

export const texts = defineTexts({
  en: { others: 'Others' },
  ru: { others: 'Прочее' },
});
