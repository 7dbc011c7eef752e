import { toMonth, toMonthBefore } from '../../../core/administration/index.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import { sendChart } from '../../kit/charts.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { drawSummaryChart, listSummaryButtons, toSummaryView } from './monthly-summary.ts';
import { texts } from './texts.ts';

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
  await sendChart(ctx, chart, { ...toSummaryView(ctx.locale, summary), keyboard });
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
