import { InputFile } from 'grammy';
import type { User } from '../../../core/accounts/index.ts';
import { type MonthlySummary, toMonth, toMonthBefore } from '../../../core/administration/index.ts';
import { UNIVERSAL_KEY_NAME } from '../../../core/management/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import type { Locale } from '../../../texts/locale.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import { findLocale } from '../../texts/locales.ts';
import { texts } from './texts.ts';
import { type ChartFile, drawDailyChart, listChartKinds, sendChart, toCaption } from './usage-charts.ts';

/** Months that the ledger may have. */
const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;

/** Returns the handlers of the buttons below summaries. */
export function createSummaryActions(services: BotServices) {
  return [
    onAction(services, 'show-month', (ctx, { month }) => ({ afterwards: () => sendSummary(services, ctx, month) })),
    onAction(services, 'set-monthly-summary', (ctx, action) => setSummaries(services, ctx, action)),
  ];
}

/** Sends the summary of a month, by default the present one. */
export async function sendSummary(services: BotServices, ctx: BotContext, requestedMonth?: string): Promise<void> {
  const now = toMonth(services.clock.now());
  const month = requestedMonth && MONTH.test(requestedMonth) && requestedMonth <= now ? requestedMonth : now;
  const summary = await services.monthlySummaries.read(month);
  const isOn = ctx.user.settings.monthlySummary !== undefined;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), listSummaryButtons(ctx.locale, month, isOn));
  const chart = await drawSummaryChart(ctx.locale, summary);
  await sendChart(ctx, chart, { ...(await toSummaryView(services, ctx.locale, summary)), keyboard });
}

/** Switches the summaries of an admin on or off. The first one is that of the present month, when it has ended. */
async function setSummaries(
  services: BotServices,
  ctx: BotContext,
  { month, isOn }: { readonly month: string; readonly isOn: boolean },
): Promise<ActionAnswer> {
  const sentMonth = toMonthBefore(toMonth(services.clock.now()));
  await services.accounts.updateSettings(ctx.user.id, {
    monthlySummary: isOn ? { sentMonth, language: ctx.locale } : undefined,
  });
  const words = texts[ctx.locale];
  return {
    hint: isOn ? words.summariesOn : words.summariesOff,
    async afterwards() {
      const keyboard = await storeKeyboard(services, toButtonTarget(ctx), listSummaryButtons(ctx.locale, month, isOn));
      await ctx.editMessageReplyMarkup({ reply_markup: keyboard });
    },
  };
}

type Recipient = User & { readonly telegramId: number };

const CHECK_EVERY_MS = 5 * 60_000;
/**
 * Sends the summary of the last month to each admin who has asked for it, once: on the first of a month, or later if no
 * process was running. Ends when the signal aborts.
 */
export async function sendMonthlySummaries(services: BotServices, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await sendDueSummaries(services, signal);
    } catch (error) {
      services.logger.warn({ reason: describeError(error) }, 'monthly summaries could not be sent; retrying');
    }
    await sleep(services.clock, CHECK_EVERY_MS, signal).catch(() => {});
  }
}

async function sendDueSummaries(services: BotServices, signal: AbortSignal): Promise<void> {
  const month = toMonthBefore(toMonth(services.clock.now()));
  for (const telegramId of services.administration.adminIds) {
    const user = await services.accounts.findTelegramUser(telegramId);
    const { monthlySummary } = user?.settings ?? {};
    if (!user?.isReachable || !monthlySummary || monthlySummary.sentMonth >= month) continue;
    signal.throwIfAborted();
    await sendTo(services, { ...user, telegramId }, { month, signal, language: monthlySummary.language });
  }
}

interface Sending {
  readonly month: string;
  readonly language: string;
  readonly signal: AbortSignal;
}

/** Sends one summary. Everything that can fail before the send is done before the claim. */
async function sendTo(services: BotServices, user: Recipient, { month, language, signal }: Sending): Promise<void> {
  const locale = findLocale(language);
  const summary = await services.monthlySummaries.read(month);
  const chart = await drawSummaryChart(locale, summary);
  const summaryView = await toSummaryView(services, locale, summary);
  const target = { userId: user.id, chatId: user.telegramId };
  const keyboard = await storeKeyboard(services, target, listSummaryButtons(locale, month, true));
  if (!(await services.monthlySummaries.claim(user.id, month))) return;
  try {
    await send(services, user.telegramId, { chart, view: { ...summaryView, keyboard }, signal });
  } catch (error) {
    const failure = classifyTelegramError(error);
    services.logger.warn({ userId: user.id, month, failure: failure.kind }, 'a monthly summary could not be sent');
    if (isSafeToRetry(failure)) await services.monthlySummaries.release(user.id, month);
  }
}

async function send(
  { client }: BotServices,
  chatId: number,
  { chart, view, signal }: { readonly chart: ChartFile | undefined; readonly view: View; readonly signal: AbortSignal },
): Promise<void> {
  const { api } = client;
  const markup = { ...(view.keyboard && { reply_markup: view.keyboard }) };
  const caption = toCaption(view);
  if (!chart || !('caption' in caption)) {
    const options = { entities: [...(view.entities ?? [])], ...markup };
    await api.sendMessage(chatId, view.text, options, toGrammySignal(signal));
    return;
  }
  const file = new InputFile(chart.bytes, chart.name);
  await api.sendPhoto(chatId, file, { ...caption, ...markup }, toGrammySignal(signal));
}

/** Returns a summary as text: sums, the month before, and the most expensive models and users. */
async function toSummaryView({ management }: BotServices, locale: Locale, summary: MonthlySummary): Promise<View> {
  const words = texts[locale];
  const { total, before, month, isRunning } = summary;
  const names = await management.findUserNames(summary.users.map(({ userId }) => userId));
  const toUser = (userId: number) => {
    const name = names.get(userId);
    if (name === UNIVERSAL_KEY_NAME) return words.universalKey;
    return name === undefined ? words.user(userId) : toShownName(name);
  };
  const models = summary.models.map((model) => ({ ...model, name: toShownName(model.model) }));
  const lines = [
    (isRunning ? words.monthSoFar : words.wholeMonth)(toMonthName(locale, month)),
    '',
    words.cost(total),
    words.requestsOf(total.requests, total.activeUsers),
    words.amounts(total.tokens, total.images),
    '',
    words.before(toMonthName(locale, toMonthBefore(month)), before.requests, before),
    ...(!isRunning && total.costUsd !== undefined && before.costUsd
      ? [words.change(total.costUsd / before.costUsd - 1)]
      : []),
    ...(models.length === 0
      ? []
      : ['', words.topModels, ...models.map(({ name, ...sum }) => words.top(name, sum.requests, sum))]),
    ...(summary.users.length === 0
      ? []
      : [
          '',
          words.topUsers,
          ...summary.users.map(({ userId, ...sum }) => words.top(toUser(userId), sum.requests, sum)),
        ]),
  ];
  const text = lines.join('\n');
  return { text, entities: markParts(text, 'code', ...models.map(({ name }) => name)) };
}

/** Draws dollars a day by model, or tokens or images if no price is known. Undefined for a month without usage. */
async function drawSummaryChart(locale: Locale, { days, month }: MonthlySummary): Promise<ChartFile | undefined> {
  const words = texts[locale];
  const kind = listChartKinds(days).toSorted((one) => (one === 'dollars' ? -1 : 0))[0];
  if (!kind) return undefined;
  const [year = 0, monthNumber = 0] = month.split('-').map(Number);
  const lastDay = Date.UTC(year, monthNumber, 0);
  const dayCount = new Date(lastDay).getUTCDate();
  const options = { kind, locale, title: words.perDay[kind], others: words.others, until: lastDay, dayCount };
  return { bytes: await drawDailyChart(days, options), name: `summary-${month}.png` };
}

/** Returns the buttons below a summary. @param isOn whether the admin gets one each month. */
function listSummaryButtons(locale: Locale, month: string, isOn: boolean): KeyboardButton[][] {
  const words = texts[locale];
  const before = toMonthBefore(month);
  return [
    [{ text: `‹ ${toMonthName(locale, before)}`, action: { kind: 'show-month', month: before } }],
    [
      {
        text: isOn ? words.stopSummaries : words.sendSummaries,
        action: { kind: 'set-monthly-summary', month, isOn: !isOn },
      },
    ],
  ];
}

/** Returns `November 2026`. */
function toMonthName(locale: Locale, month: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const name = format.format(new Date(`${month}-01T00:00:00Z`));
  return `${name.charAt(0).toLocaleUpperCase(locale)}${name.slice(1)} ${month.slice(0, 4)}`;
}
