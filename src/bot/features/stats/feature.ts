import { Composer, InputFile } from 'grammy';
import { z } from 'zod';
import { type ServiceReport, toMonth } from '../../../core/administration/index.ts';
import { drawBarChart } from '../../../core/charts/index.ts';
import { toUtcDay } from '../../../lib/dates.ts';
import { toCsv } from '../../../lib/formats/csv.ts';
import type { Locale } from '../../../texts/locale.ts';
import { type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import { createSummaryActions, sendSummary } from './monthly-summary.ts';
import { texts } from './texts.ts';
import { CHART_KINDS, drawDailyChart, listChartKinds, listDays, replaceChart, sendChart } from './usage-charts.ts';

const period = { days: z.number() };

const actions = {
  'show-stats': { fields: period },
  'show-stats-chart': { fields: { ...period, chart: z.enum(['requests', ...CHART_KINDS]) } },
  'show-month': { fields: { month: z.string() } },
  'set-monthly-summary': { fields: { month: z.string(), isOn: z.boolean() } },
  'download-stats': { fields: period },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/stats`, `/stats 30` and `/stats month`: usage of the service, in private chats of admins only. Other users get the
 * reply for an unknown command.
 */
export const stats: Feature = {
  commands: [{ name: 'stats', menus: ['admin'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

const DAYS = [1, 7, 30] as const;
const DEFAULT_DAYS = 7;

type StatsChart = CallbackActionOf<'show-stats-chart'>['chart'];

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const byAdmins = composer.filter(({ user }) => user.role === 'admin').chatType('private');
  byAdmins.command('stats', async (ctx) => {
    const [command, month] = ctx.match.trim().split(/\s+/);
    if (command === 'month') return sendSummary(services, ctx, month);
    const requestedDays = Number(command);
    await sendStats(services, ctx, DAYS.find((days) => days === requestedDays) ?? DEFAULT_DAYS);
  });
  byAdmins.use(
    ...createSummaryActions(services),
    onAction(services, 'show-stats', (ctx, { days }) => ({ afterwards: () => sendStats(services, ctx, days) })),
    onAction(services, 'show-stats-chart', (ctx, { days, chart: kind }) => ({
      async afterwards() {
        const { chart, view } = await readStats(services, ctx, { days, kind });
        if (chart) await replaceChart(ctx, chart, view);
      },
    })),
    onAction(services, 'download-stats', (ctx, { days }) => ({ afterwards: () => sendTable(services, ctx, days) })),
  );
  return { middleware: composer };
}

async function sendStats(services: BotServices, ctx: BotContext, days: number): Promise<void> {
  const { chart, view } = await readStats(services, ctx, { days });
  await sendChart(ctx, chart, view);
}

/** Returns the report and its chart; a period of one day, or without requests, has no chart. */
async function readStats(
  services: BotServices,
  ctx: BotContext,
  { days, kind: requestedKind }: { readonly days: number; readonly kind?: StatsChart },
) {
  const report = await services.serviceReports.reportOn(days);
  const words = texts[ctx.locale];
  const kinds: StatsChart[] =
    days === 1 || report.total.requests === 0 ? [] : ['requests', ...listChartKinds(report.byDay)];
  const kind = kinds.find((one) => one === requestedKind) ?? kinds[0];
  const otherKinds = kinds.filter((one) => one !== kind);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    otherKinds.map((chart) => ({ text: words.chart[chart], action: { kind: 'show-stats-chart', days, chart } })),
    [
      ...DAYS.filter((other) => other !== days).map((other) => ({
        text: words.days(other),
        action: { kind: 'show-stats' as const, days: other },
      })),
      { text: words.monthly, action: { kind: 'show-month', month: toMonth(services.clock.now()) } },
    ],
    [{ text: words.download, action: { kind: 'download-stats', days } }],
  ]);
  const view: View = { ...describe(ctx.locale, report), keyboard };
  const chart = kind && { bytes: await drawChart(services, ctx, report, kind), name: 'stats.png' };
  return { chart, view };
}

async function sendTable(services: BotServices, ctx: BotContext, days: number): Promise<void> {
  const report = await services.serviceReports.reportOn(days);
  const day = toUtcDay(services.clock.now());
  const csv = toTable(report);
  await ctx.replyWithDocument(new InputFile(Buffer.from(csv), `stats-${day}-${days}d.csv`));
}

const SHOWN_MODELS = 5;

function describe(locale: Locale, report: ServiceReport): View {
  const words = texts[locale];
  const { total } = report;
  const slowest = report.models
    .toSorted((one, other) => other.slowMs - one.slowMs)
    .slice(0, SHOWN_MODELS)
    .map((model) => ({ ...model, name: toShownName(model.model) }));
  const expensive = report.models
    .filter(({ costUsd = 0, unpriced }) => total.costUsd !== undefined && (costUsd > 0 || unpriced > 0))
    .toSorted((one, other) => (other.costUsd ?? 0) - (one.costUsd ?? 0))
    .slice(0, SHOWN_MODELS)
    .map((model) => ({ ...model, name: toShownName(model.model) }));
  const lines = [
    words.heading(report.days),
    '',
    words.users(report.activeUsers, report.newUsers),
    words.requests(total.requests, total.failures),
    words.amounts(total.tokens, total.images),
    words.cost(total),
    words.feedback(total.thumbsUp, total.thumbsDown),
    ...(slowest.length === 0
      ? []
      : [
          words.duration(total.medianMs, total.slowMs),
          '',
          words.slowest,
          ...slowest.map(({ name, slowMs, requests }) => words.model(name, slowMs, requests)),
        ]),
  ];
  const costLines =
    expensive.length === 0
      ? []
      : ['', words.expensive, ...expensive.map(({ name, ...cost }) => words.modelCost(name, cost))];
  const text = lines.join('\n');
  const costText = costLines.map((line) => `\n${line}`).join('');
  const marks = markParts(costText, 'code', ...expensive.map(({ name }) => name));
  return {
    text: text + costText,
    entities: [
      ...markParts(text, 'code', ...slowest.map(({ name }) => name)),
      ...marks.map((mark) => ({ ...mark, offset: mark.offset + text.length })),
    ],
  };
}

function drawChart(services: BotServices, ctx: BotContext, report: ServiceReport, kind: StatsChart): Promise<Buffer> {
  const words = texts[ctx.locale];
  const { locale } = ctx;
  // A period of n days touches n + 1 calendar days.
  const [until, dayCount] = [services.clock.now(), report.days + 1];
  const title = words.perDay[kind];
  if (kind !== 'requests')
    return drawDailyChart(report.byDay, { kind, locale, title, others: words.others, until, dayCount });
  const points = listDays(locale, until, dayCount).map(({ day, label }) => {
    const ofDay = report.byDay.filter((row) => row.day === day);
    const failed = ofDay.reduce((sum, { failures }) => sum + failures, 0);
    return { label, values: [ofDay.reduce((sum, { requests }) => sum + requests, -failed), failed] };
  });
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const series = [words.answered, words.failed];
  return drawBarChart({ title, series, points, formatNumber: (value) => number.format(value) });
}

function toTable(report: ServiceReport): string {
  const header = [
    'model',
    'requests',
    'broke_off',
    'tokens',
    'images',
    'cost_usd',
    'median_ms',
    'p95_ms',
    'up',
    'down',
    'requests_without_cost',
  ];
  const { total, models } = report;
  const rows = [...models, { ...total, model: 'total' }].map((row) => [
    row.model,
    row.requests,
    row.failures,
    row.tokens,
    row.images,
    row.costUsd,
    row.medianMs,
    row.slowMs,
    row.thumbsUp,
    row.thumbsDown,
    row.unpriced,
  ]);
  return toCsv(header, rows);
}
