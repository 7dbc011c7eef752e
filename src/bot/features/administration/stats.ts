import { Composer, InputFile } from 'grammy';
import type { ServiceReport } from '../../../core/administration/index.ts';
import { drawBarChart } from '../../../core/charts/index.ts';
import { toCsv } from '../../../lib/csv.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { isGroup } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';
import { markPieces } from '../../framework/view.ts';
import type { Texts } from '../../texts/locales.ts';
import { toShownName } from '../files/shown-name.ts';

const DAYS = [1, 7, 30] as const;
const DEFAULT_DAYS = 7;
const SHOWN_MODELS = 5;
const DAY_MS = 86_400_000;

/** `/stats`, for those who run the service: what went on within 1, 7 or 30 days. Nobody else learns that there is such a command. */
export function createStatsFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('stats', async (ctx, next) => {
    if (ctx.person.role !== 'admin' || isGroup(ctx.chat)) return next();
    const wanted = Number(ctx.match.trim());
    await sendStats(deps, ctx, DAYS.find((days) => days === wanted) ?? DEFAULT_DAYS);
  });
  composer.use(
    onPress(deps, 'show-stats', (ctx, { days }) => {
      if (ctx.person.role !== 'admin') return { hint: ctx.texts.stalePress };
      return { afterwards: () => sendStats(deps, ctx, days) };
    }),
    onPress(deps, 'download-stats', (ctx, { days }) => {
      if (ctx.person.role !== 'admin') return { hint: ctx.texts.stalePress };
      return { afterwards: () => sendTable(deps, ctx, days) };
    }),
  );
  return composer;
}

/** Text below a chart; where the time is too short for one, text alone. */
async function sendStats(deps: BotDeps, ctx: BotContext, days: number): Promise<void> {
  const report = await deps.serviceReports.reportOn(days);
  const { stats } = ctx.texts.administration;
  const { text, names } = describe(ctx.texts, report);
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    DAYS.filter((other) => other !== days).map((other) => ({
      text: stats.days(other),
      choice: { kind: 'show-stats', days: other },
    })),
    [{ text: stats.download, choice: { kind: 'download-stats', days } }],
  ]);
  const entities = [...markPieces(text, 'code', ...names)];
  if (days === 1 || report.total.requests === 0)
    return void (await ctx.reply(text, { entities, reply_markup: keyboard }));
  const chart = new InputFile(await drawChart(deps, ctx, report), 'stats.png');
  await ctx.replyWithPhoto(chart, { caption: text, caption_entities: entities, reply_markup: keyboard });
}

async function sendTable(deps: BotDeps, ctx: BotContext, days: number): Promise<void> {
  const report = await deps.serviceReports.reportOn(days);
  const day = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const csv = toTable(report);
  await ctx.replyWithDocument(new InputFile(Buffer.from(csv), `stats-${day}-${days}d.csv`));
}

function describe({ administration: { stats } }: Texts, report: ServiceReport) {
  const { total } = report;
  const slowest = report.models
    .toSorted((one, other) => other.slowMs - one.slowMs)
    .slice(0, SHOWN_MODELS)
    .map((model) => ({ ...model, name: toShownName(model.model) }));
  const lines = [
    stats.heading(report.days),
    '',
    stats.people(report.activePeople, report.newPeople),
    stats.requests(total.requests, total.failures),
    stats.amounts(total.tokens, total.pictures),
    total.costUsd === undefined ? stats.costUnknown : stats.cost(total.costUsd),
    stats.feedback(total.thumbsUp, total.thumbsDown),
    ...(slowest.length === 0
      ? []
      : [
          stats.duration(total.medianMs, total.slowMs),
          '',
          stats.slowest,
          ...slowest.map(({ name, slowMs, requests }) => stats.model(name, slowMs, requests)),
        ]),
  ];
  return { text: lines.join('\n'), names: slowest.map(({ name }) => name) };
}

function drawChart(deps: BotDeps, ctx: BotContext, report: ServiceReport): Promise<Buffer> {
  const { stats } = ctx.texts.administration;
  const label = new Intl.DateTimeFormat(ctx.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(ctx.locale, { notation: 'compact', maximumFractionDigits: 1 });
  // The days of the report begin in the middle of a day.
  const bars = Array.from({ length: report.days + 1 }, (_, at) => {
    const moment = new Date(deps.clock.now() - (report.days - at) * DAY_MS);
    const figures = report.byDay.find(({ day }) => day === moment.toISOString().slice(0, 10));
    const { requests = 0, failures = 0 } = figures ?? {};
    return { label: label.format(moment), values: [requests - failures, failures] };
  });
  return drawBarChart({
    title: stats.chart,
    parts: [stats.answered, stats.failed],
    bars,
    formatNumber: (value) => number.format(value),
  });
}

function toTable(report: ServiceReport): string {
  const header = [
    'model',
    'requests',
    'broke_off',
    'tokens',
    'pictures',
    'cost_usd',
    'median_ms',
    'p95_ms',
    'up',
    'down',
  ];
  const { total, models } = report;
  const rows = [...models, { ...total, model: 'total' }].map((row) => [
    row.model,
    row.requests,
    row.failures,
    row.tokens,
    row.pictures,
    row.costUsd,
    row.medianMs,
    row.slowMs,
    row.thumbsUp,
    row.thumbsDown,
  ]);
  return toCsv(header, rows);
}
