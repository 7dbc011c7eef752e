import { Composer } from 'grammy';
import { z } from 'zod';
import type { UsageReport, UsageSum } from '../../core/accounts/index.ts';
import type { OwnBudget, Quotas } from '../../core/limits/index.ts';
import { toNineDecimals } from '../../lib/dollars.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import type { Locale } from '../../texts/locale.ts';
import { formatMoment } from '../../texts/moment.ts';
import { countOf, type PluralForms, pluralOf } from '../../texts/plural.ts';
import {
  englishCost,
  englishCount,
  englishDollars,
  englishWait,
  russianCost,
  russianDollars,
  russianWait,
} from '../../texts/units.ts';
import { findTimeZone } from '../choices/time-zones.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import { isPrivate } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../kit/keyboards.ts';
import { toShownName } from '../kit/names.ts';
import type { BotServices } from '../kit/services.ts';
import { leadToPrivate, markParts, type View } from '../kit/views.ts';
import {
  CHART_KINDS,
  type ChartKind,
  drawDailyChart,
  listChartKinds,
  replaceChart,
  sendChart,
} from './stats/usage-charts.ts';

const actions = {
  'show-usage': { fields: { chart: z.enum(CHART_KINDS) } },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** `/usage`: a user's usage, costs and remaining quotas, below a chart of the last 30 days. Private chats only. */
export const usage: Feature = {
  commands: [{ name: 'usage', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

/** Maximum number of models to list, so that the text usually fits into a caption. */
const MAX_MODELS = 6;
/** Days in the chart. */
const DAYS = 30;

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('usage', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const { chart, view } = await readUsage(services, ctx);
    await sendChart(ctx, chart, view);
  });
  composer.use(
    onAction(services, 'show-usage', (ctx, action) => ({
      async afterwards() {
        const { chart, view } = await readUsage(services, ctx, action.chart);
        if (chart) await replaceChart(ctx, chart, view);
      },
    })),
  );
  return { middleware: composer };
}

/** Returns the text and the chart with buttons for the other charts; no chart without usage. */
async function readUsage(services: BotServices, ctx: BotContext, requestedKind?: ChartKind) {
  const { id: userId, plan, settings } = ctx.user;
  const [report, quotas, budgets] = await Promise.all([
    services.usageReports.reportOn(userId),
    services.limits.readQuotas({ userId, plan }),
    services.limits.readBudgets({ userId, plan }),
  ]);
  const left = describeLeft(ctx.locale, quotas, {
    budgets,
    timeZone: findTimeZone(settings, ctx.from?.language_code).timeZone,
  });
  const view = toUsageView(ctx.locale, report, left);
  const kinds = listChartKinds(report.days);
  const kind = kinds.find((one) => one === requestedKind) ?? kinds[0];
  if (!kind) return { chart: undefined, view };
  const words = texts[ctx.locale];
  const others = kinds.filter((one) => one !== kind);
  const buttons = others.map((chart) => ({ text: words.chart[chart], action: { kind: 'show-usage' as const, chart } }));
  const keyboard = others.length === 0 ? undefined : await storeKeyboard(services, toButtonTarget(ctx), [buttons]);
  const options = { kind, locale: ctx.locale, title: words.perDay[kind], others: words.others };
  const bytes = await drawDailyChart(report.days, { ...options, until: services.clock.now(), dayCount: DAYS });
  return { chart: { bytes, name: 'usage.png' }, view: { ...view, keyboard } };
}

/** Returns the user's usage of today and this month, by model, and what is left. */
function toUsageView(locale: Locale, report: UsageReport, left: readonly string[]): View {
  const words = texts[locale];
  // Without any price, it would be on every line that the price is unknown.
  const hasPrices = report.month.costUsd !== undefined;
  const describe = (sum: UsageSum) => describeSum(locale, sum, hasPrices);
  const models = report.byModel.slice(0, MAX_MODELS).map(({ model, ...sum }) => ({ name: toShownName(model), sum }));
  const moreCount = report.byModel.length - models.length;
  const used =
    report.month.requests === 0
      ? [words.none]
      : [
          words.today(describe(report.today)),
          words.month(describe(report.month)),
          '',
          words.byModel,
          ...models.map(({ name, sum }) => words.model(name, describe(sum))),
          ...(moreCount > 0 ? [words.more(moreCount)] : []),
        ];
  const text = [...used, ...(left.length > 0 ? ['', ...left] : [])].join('\n');
  // Code formatting, because Telegram would turn some names into links.
  return { text, entities: markParts(text, 'code', ...models.map(({ name }) => name)) };
}

/** Returns `12 requests, 34,500 tokens, 2 images, $0.12`, without the parts that are zero. */
function describeSum(locale: Locale, sum: UsageSum, hasPrices: boolean): string {
  const words = texts[locale];
  return [
    words.requests(sum.requests),
    ...(sum.tokens > 0 ? [words.tokens(sum.tokens)] : []),
    ...(sum.images > 0 ? [words.images(sum.images)] : []),
    ...(hasPrices && sum.requests > 0 ? [words.cost(sum)] : []),
  ].join(', ');
}

/** Returns lines with what is left of quotas and budgets. */
function describeLeft(
  locale: Locale,
  quotas: Quotas | undefined,
  { budgets, timeZone }: { readonly budgets: readonly OwnBudget[]; readonly timeZone: string | undefined },
): string[] {
  const words = texts[locale];
  const { requests, tokens, images } = quotas ?? {};
  const lines = [
    ...(requests ? [words.leftRequests(requests.remaining, requests.limit)] : []),
    ...(tokens ? [words.leftTokens(tokens.remaining, tokens.limit)] : []),
    ...(images ? [words.leftImages(images.remaining, images.limit)] : []),
  ];
  const day = tokens ?? images;
  const dollars = budgets.map(({ period, limitUsd, spentUsd, resetsAt }) => {
    const left = toNineDecimals(Math.max(0, limitUsd - spentUsd));
    const until = resetsAt === undefined ? undefined : formatMoment(locale, resetsAt, timeZone);
    return words.leftDollars[period](left, limitUsd, until);
  });
  if (lines.length + dollars.length === 0) return [];
  return [words.left, ...lines, ...(day ? [words.newDay(day.resetMs)] : []), ...dollars];
}

const ENGLISH_NUMBER = new Intl.NumberFormat('en');
const englishLeftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${englishDollars(left)} of ${englishDollars(limit)} ${period}${until === undefined ? '' : `, until ${until}`}`;
const RUSSIAN_NUMBER = new Intl.NumberFormat('ru');
const counted = (count: number, forms: PluralForms) => countOf('ru', count, forms);
const requests = (count: number) =>
  counted(count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });
const tokens = (count: number) => counted(count, { one: 'токен', few: 'токена', many: 'токенов', other: 'токена' });
const images = (count: number) =>
  counted(count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });
const russianLeftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${russianDollars(left)} из ${russianDollars(limit)} ${period}${until === undefined ? '' : `, до ${until}`}`;

export const texts = defineTexts({
  en: {
    command: 'Your usage and limits',
    onlyPrivate: 'Your usage is private. Send me this command in our private chat.',
    none: 'No usage this month.',
    today: (sum: string) => `Today: ${sum}`,
    month: (sum: string) => `This month: ${sum}`,
    byModel: 'This month by model:',
    model: (name: string, sum: string) => `${name}: ${sum}`,
    more: (count: number) => pluralOf('en', count, { one: 'more model', other: 'more models' }),
    requests: (count: number) => englishCount(count, 'request', 'requests'),
    tokens: (count: number) => englishCount(count, 'token', 'tokens'),
    images: (count: number) => englishCount(count, 'image', 'images'),
    cost: englishCost,
    left: 'Remaining:',
    leftRequests: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'request', 'requests')} this minute`,
    leftTokens: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'token', 'tokens')} today`,
    leftImages: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'image', 'images')} today`,
    /** `until`: date and time at which the budget resets. */
    leftDollars: {
      day: englishLeftOf('today'),
      month: englishLeftOf('this month'),
      total: englishLeftOf('in total'),
    },
    newDay: (waitMs: number) => `Limits reset at 00:00 UTC, in ${englishWait(waitMs)}.`,
    /** Buttons. */
    chart: { tokens: 'Tokens', images: 'Images', dollars: 'Dollars' },
    /** Titles of charts. */
    perDay: { tokens: 'Tokens per day', images: 'Images per day', dollars: 'Dollars per day' },
    others: 'others',
  },
  ru: {
    command: 'Сколько израсходовано и осталось',
    onlyPrivate: 'Ваш расход виден только вам. Напишите мне эту команду в личном чате.',
    none: 'В этом месяце вы ещё ничего не израсходовали.',
    today: (sum) => `Сегодня: ${sum}`,
    month: (sum) => `В этом месяце: ${sum}`,
    byModel: 'В этом месяце по моделям:',
    model: (name, sum) => `${name}: ${sum}`,
    more: (count) => `ещё ${pluralOf('ru', count, { one: 'модель', few: 'модели', many: 'моделей', other: 'модели' })}`,
    requests,
    tokens,
    images,
    cost: russianCost,
    left: 'Осталось:',
    leftRequests: (left, limit) =>
      `запросов в эту минуту: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftTokens: (left, limit) =>
      `токенов на сегодня: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftImages: (left, limit) =>
      `картинок на сегодня: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftDollars: {
      day: russianLeftOf('на сегодня'),
      month: russianLeftOf('на этот месяц'),
      total: russianLeftOf('всего'),
    },
    newDay: (waitMs) => `Лимиты обновятся в 00:00 UTC, через ${russianWait(waitMs)}.`,
    chart: { tokens: 'Токены', images: 'Картинки', dollars: 'Доллары' },
    perDay: { tokens: 'Токены по дням', images: 'Картинки по дням', dollars: 'Доллары по дням' },
    others: 'другие',
  },
});
