import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import { isGroup, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { isOutsideTopics } from '../../topics/open-topic.ts';
import { hasWork, stopWork } from './ongoing-work.ts';
import { texts } from './texts.ts';

/**
 * `/stop` and the Stop button: end an answer and keep its text. The command also stops image jobs, saves and readings:
 * those of its topic, or in a private chat outside of topics those of all topics.
 */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('stop', async (ctx) => {
    const chatTopic = toChatTopic(ctx.msg);
    const scope = { ...chatTopic, hasAllTopics: isOutsideTopics(ctx, chatTopic) };
    const stopped = await stopWork(services, scope, ctx.user.id);
    const goesOn = hasWork(services, { ...chatTopic, hasAllTopics: true }, ctx.user.id);
    await ctx.reply([describe(ctx, stopped), ...(goesOn ? [texts[ctx.locale].elsewhere] : [])].join(' '));
  });
  composer.use(
    onAction(services, 'stop', async (ctx, { answerId, batch }) => {
      const chatTopic = ctx.msg && toChatTopic(ctx.msg);
      const filter = batch === undefined ? { answerId } : { batch };
      const stopped = chatTopic && (await services.answers.stop(chatTopic, ctx.user.id, filter));
      return { hint: stopped && stopped.stoppedCount > 0 ? ctx.texts.stopped : ctx.texts.nothingToStop };
    }),
    onAction(services, 'drop-waiting', async (ctx) => {
      const count = ctx.msg ? await services.answers.dropWaiting(toChatTopic(ctx.msg), ctx.user.id) : 0;
      return { hint: count > 0 ? texts[ctx.locale].droppedWaiting(count) : ctx.texts.nothingToStop };
    }),
  );
  return { middleware: composer };
}

function describe(ctx: BotContext, { droppedCount, ...counts }: Awaited<ReturnType<typeof stopWork>>): string {
  const words = texts[ctx.locale];
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total + droppedCount === 0) return ctx.chat && isGroup(ctx.chat) ? words.nothingOfYours : ctx.texts.nothingToStop;
  const stopped = total > 1 ? words.several(counts) : ctx.texts.stopped;
  return droppedCount > 0 ? `${stopped} ${words.droppedWaiting(droppedCount)}` : stopped;
}
