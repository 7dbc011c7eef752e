import { beginsLikeTime, parseReminder, toTimes } from '../../../core/tasks/index.ts';
import { isInChain } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findTimeZone } from '../../time-zones/time-zones.ts';
import { describeRefusal } from './describe-refusal.ts';
import { scheduleTask, toScheduledView } from './schedule.ts';
import { findTaskPlace } from './task-place.ts';
import { texts } from './texts.ts';

/** `/remind 20m tea`: sets a reminder without a model. */
export async function remind(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const place = findTaskPlace(ctx);
  if (!ctx.msg || !place) return;
  if (ctx.group?.settings.hasTasks === false) return void (await ctx.reply(words.problems.off));
  if (isInChain(ctx.msg) && place.isGroup) return void (await ctx.reply(words.problems.comments));
  const parsed = parseReminder(text);
  if (!parsed || parsed.rest === '') return void (await ctx.reply(explain(ctx, text, parsed !== undefined)));
  const zone = findTimeZone(place.user.settings, place.language);
  const times = toTimes(parsed.when, { timeZone: zone.timeZone, nowMs: services.clock.now() });
  if (!times) return void (await ctx.reply(words.problems.past));
  const content = { kind: 'reminder', prompt: parsed.rest, times, quietWhenNothingNew: false } as const;
  const scheduled = await scheduleTask(services, place, content);
  if (!('task' in scheduled)) return void (await ctx.reply(describeRefusal(ctx.locale, scheduled)));
  await showView(ctx, await toScheduledView(services, place, scheduled.task, zone));
}

function explain({ locale }: BotContext, text: string, hasTime: boolean): string {
  const { howToRemind, noText, unknownTime } = texts[locale];
  if (hasTime) return `${noText}\n\n${howToRemind}`;
  return beginsLikeTime(text) ? `${unknownTime}\n\n${howToRemind}` : howToRemind;
}
