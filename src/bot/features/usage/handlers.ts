import { Composer, InputFile } from 'grammy';
import type { UsageReport, UsageSum } from '../../../core/accounts/index.ts';
import type { Quotas } from '../../../core/limits/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { toShownName } from '../../framework/shown-name.ts';
import { markParts, showView, type View } from '../../framework/view.ts';
import type { Locale } from '../../texts/locale.ts';
import { texts } from './texts/index.ts';
import { drawUsageChart } from './usage-chart.ts';

type UsageServices = Pick<BotDeps, 'clock' | 'limits' | 'usageReports'>;

/** Telegram's limit for a caption. */
const MAX_CAPTION = 1024;
/** Maximum number of models to list, so that the text usually fits into a caption. */
const MAX_MODELS = 6;

/** `/usage`: text below a chart of the last 30 days. Private chats only. */
export function createHandlers(deps: UsageServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('usage', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const { id: userId, plan } = ctx.user;
    const [report, quotas] = await Promise.all([
      deps.usageReports.reportOn(userId),
      deps.limits.readQuotas({ userId, plan }),
    ]);
    const view = toUsageView(ctx.locale, report, quotas);
    const chart = await drawUsageChart(report, ctx.locale, deps.clock.now());
    if (!chart) return showView(ctx, view);
    const fits = view.text.length <= MAX_CAPTION;
    const caption = { caption: view.text, caption_entities: [...(view.entities ?? [])] };
    await ctx.replyWithPhoto(new InputFile(chart, 'usage.png'), fits ? caption : {});
    if (!fits) await showView(ctx, view);
  });
  return { middleware: composer };
}

/** Returns the user's usage of today and this month, by model, and what is left of the quotas. */
function toUsageView(locale: Locale, report: UsageReport, quotas: Quotas | undefined): View {
  const words = texts[locale];
  const models = report.byModel.slice(0, MAX_MODELS).map(({ model, ...sum }) => ({ name: toShownName(model), sum }));
  const moreCount = report.byModel.length - models.length;
  const used =
    report.month.requests === 0
      ? [words.none]
      : [
          words.today(describeSum(locale, report.today)),
          words.month(describeSum(locale, report.month)),
          '',
          words.byModel,
          ...models.map(({ name, sum }) => words.model(name, describeSum(locale, sum))),
          ...(moreCount > 0 ? [words.more(moreCount)] : []),
        ];
  const left = describeQuotas(locale, quotas);
  const text = [...used, ...(left.length > 0 ? ['', ...left] : [])].join('\n');
  // Code formatting, because Telegram would turn some names into links.
  return { text, entities: markParts(text, 'code', ...models.map(({ name }) => name)) };
}

/** Returns `12 requests, 34,500 tokens, 2 images, $0.12`, without the parts that are zero. */
function describeSum(locale: Locale, sum: UsageSum): string {
  const words = texts[locale];
  return [
    words.requests(sum.requests),
    ...(sum.tokens > 0 ? [words.tokens(sum.tokens)] : []),
    ...(sum.images > 0 ? [words.images(sum.images)] : []),
    ...(sum.costUsd === undefined ? [] : [words.cost(sum.costUsd)]),
  ].join(', ');
}

function describeQuotas(locale: Locale, quotas: Quotas | undefined): string[] {
  const words = texts[locale];
  const { requests, tokens, images } = quotas ?? {};
  const lines = [
    ...(requests ? [words.leftRequests(requests.remaining, requests.limit)] : []),
    ...(tokens ? [words.leftTokens(tokens.remaining, tokens.limit)] : []),
    ...(images ? [words.leftImages(images.remaining, images.limit)] : []),
  ];
  const day = tokens ?? images;
  if (lines.length === 0) return [];
  return [words.left, ...lines, ...(day ? [words.newDay(day.resetMs)] : [])];
}
