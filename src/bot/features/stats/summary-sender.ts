import { InputFile } from 'grammy';
import type { User } from '../../../core/accounts/index.ts';
import { toMonth, toMonthBefore } from '../../../core/administration/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/describe-error.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import { type ChartFile, toCaption } from '../../kit/charts.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { findLocale } from '../../texts/locales.ts';
import { drawSummaryChart, listSummaryButtons, toSummaryView } from './monthly-summary.ts';

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
  const target = { userId: user.id, chatId: user.telegramId };
  const keyboard = await storeKeyboard(services, target, listSummaryButtons(locale, month, true));
  if (!(await services.monthlySummaries.claim(user.id, month))) return;
  try {
    await send(services, user.telegramId, { chart, view: { ...toSummaryView(locale, summary), keyboard }, signal });
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
