import { Composer, InputFile } from 'grammy';
import type { ServiceReport } from '../../../core/administration/index.ts';
import { drawBarChart } from '../../../core/charts/index.ts';
import { toCsv } from '../../../lib/csv.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onAction } from '../../framework/on-action.ts';
import { toShownName } from '../../framework/shown-name.ts';
import { markParts } from '../../framework/view.ts';
import type { Locale } from '../../texts/locale.ts';
import { texts } from './texts/index.ts';

type StatsServices = Pick<BotDeps, 'clock' | 'interactions' | 'logger' | 'serviceReports'>;

const DAYS = [1, 7, 30] as const;
const DEFAULT_DAYS = 7;
const SHOWN_MODELS = 5;
const DAY_MS = 86_400_000;

/** `/stats`, in private chats of admins only. Other users get the reply for an unknown command. */
export function createHandlers(deps: StatsServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const byAdmins = composer.filter(({ user }) => user.role === 'admin').chatType('private');
  byAdmins.command('stats', async (ctx) => {
    const requestedDays = Number(ctx.match.trim());
    await sendStats(deps, ctx, DAYS.find((days) => days === requestedDays) ?? DEFAULT_DAYS);
  });
  byAdmins.use(
    onAction(deps, 'show-stats', (ctx, { days }) => ({ afterwards: () => sendStats(deps, ctx, days) })),
    onAction(deps, 'download-stats', (ctx, { days }) => ({ afterwards: () => sendTable(deps, ctx, days) })),
  );
  return { middleware: composer };
}

/** Sends the report below a chart; a period of one day, or without requests, has no chart. */
async function sendStats(deps: StatsServices, ctx: BotContext, days: number): Promise<void> {
  const report = await deps.serviceReports.reportOn(days);
  const words = texts[ctx.locale];
  const { text, names } = describe(ctx.locale, report);
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    DAYS.filter((other) => other !== days).map((other) => ({
      text: words.days(other),
      action: { kind: 'show-stats', days: other },
    })),
    [{ text: words.download, action: { kind: 'download-stats', days } }],
  ]);
  const entities = [...markParts(text, 'code', ...names)];
  if (days === 1 || report.total.requests === 0)
    return void (await ctx.reply(text, { entities, reply_markup: keyboard }));
  const chart = new InputFile(await drawChart(deps, ctx, report), 'stats.png');
  await ctx.replyWithPhoto(chart, { caption: text, caption_entities: entities, reply_markup: keyboard });
}

async function sendTable(deps: StatsServices, ctx: BotContext, days: number): Promise<void> {
  const report = await deps.serviceReports.reportOn(days);
  const day = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const csv = toTable(report);
  await ctx.replyWithDocument(new InputFile(Buffer.from(csv), `stats-${day}-${days}d.csv`));
}

function describe(locale: Locale, report: ServiceReport) {
  const words = texts[locale];
  const { total } = report;
  const slowest = report.models
    .toSorted((one, other) => other.slowMs - one.slowMs)
    .slice(0, SHOWN_MODELS)
    .map((model) => ({ ...model, name: toShownName(model.model) }));
  const lines = [
    words.heading(report.days),
    '',
    words.users(report.activeUsers, report.newUsers),
    words.requests(total.requests, total.failures),
    words.amounts(total.tokens, total.images),
    total.costUsd === undefined ? words.costUnknown : words.cost(total.costUsd),
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
  return { text: lines.join('\n'), names: slowest.map(({ name }) => name) };
}

function drawChart(deps: StatsServices, ctx: BotContext, report: ServiceReport): Promise<Buffer> {
  const words = texts[ctx.locale];
  const label = new Intl.DateTimeFormat(ctx.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(ctx.locale, { notation: 'compact', maximumFractionDigits: 1 });
  // A period of n days touches n + 1 calendar days.
  const bars = Array.from({ length: report.days + 1 }, (_, at) => {
    const moment = new Date(deps.clock.now() - (report.days - at) * DAY_MS);
    const figures = report.byDay.find(({ day }) => day === moment.toISOString().slice(0, 10));
    const { requests = 0, failures = 0 } = figures ?? {};
    return { label: label.format(moment), values: [requests - failures, failures] };
  });
  return drawBarChart({
    title: words.chart,
    parts: [words.answered, words.failed],
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
    row.images,
    row.costUsd,
    row.medianMs,
    row.slowMs,
    row.thumbsUp,
    row.thumbsDown,
  ]);
  return toCsv(header, rows);
}
