import { InputFile } from 'grammy';
import { drawBarChart, drawLineChart, drawPieChart } from '../../../core/charts/index.ts';
import { type ToolContext, ToolError } from '../../../core/tools/index.ts';
import { QueueFullError, type WorkQueue } from '../../../lib/work-queue.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { ExtendedAnswer, FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Locale } from '../../texts/locale.ts';
import { CHART_TYPES, type ChartTable, MAX_POINTS, MAX_SERIES, readTable } from './read-table.ts';
import { texts } from './texts.ts';

const MAX_CALLS = 4;
/** Below this number, axes show numbers in full. */
const COMPACT_FROM = 10_000;

/** Creates the tool that lets a model send a chart of numbers to the chat. */
export function createDrawChartTool(
  { client, logger }: BotServices,
  queue: WorkQueue<number>,
  { context, replyToMessageId }: Pick<ExtendedAnswer, 'context' | 'replyToMessageId'>,
): FeatureTool {
  const send = async (image: Buffer, signal: AbortSignal) => {
    const { chatTopic } = context;
    const options = toSendOptions(chatTopic, replyToMessageId);
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
