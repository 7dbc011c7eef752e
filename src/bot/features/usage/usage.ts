import { Composer, InputFile } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { showView } from '../../framework/view.ts';
import { isPrivate } from '../files/own-file.ts';
import { drawUsageChart } from './usage-chart.ts';
import { toUsageView } from './usage-view.ts';

/** Telegram's bound on the words below a picture. */
const MAX_CAPTION = 1024;

/** `/usage`: what the person has used, as text below a chart of the last 30 days, and what is left. In private chats only. */
export function createUsageFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('usage', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, ctx.texts.account.usage.onlyPrivate);
    const { id: personId, plan } = ctx.person;
    const [report, budgets] = await Promise.all([
      deps.usageReports.reportOn(personId),
      deps.limits.look({ personId, plan }),
    ]);
    const { locale, texts } = ctx;
    const view = toUsageView(texts, report, budgets);
    const chart = await drawUsageChart(report, { nowMs: deps.clock.now(), locale, texts });
    if (!chart) return showView(ctx, view);
    const fits = view.text.length <= MAX_CAPTION;
    const caption = { caption: view.text, caption_entities: [...(view.entities ?? [])] };
    await ctx.replyWithPhoto(new InputFile(chart, 'usage.png'), fits ? caption : {});
    if (!fits) await showView(ctx, view);
  });
  return composer;
}
