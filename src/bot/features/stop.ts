import { Composer } from 'grammy';
import { z } from 'zod';
import type { StoppedCounts } from '../../core/jobs/index.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import { isOutsideTopics } from '../choices/topics.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import { isGroup, toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotJobKind, Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

const answer = { answerId: z.number() };

const actions = {
  /** `batch`: all answers that are written at the same time. */
  stop: { fields: { ...answer, batch: z.number().optional() } },
  /** Drops the questions that are queued after an answer. */
  'drop-waiting': { fields: answer },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/stop` and the Stop button: end an answer and keep its text; that of one compared answer ends all of them. A stop is in
 * memory until the answer is stored: after a crash right then, the next process continues the answer. The command also stops the other jobs of its topic, or in
 * a private chat outside of topics those of all topics.
 */
export const stop: Feature = {
  commands: [{ name: 'stop', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const { jobs } = services;
  const composer = new Composer<BotContext>();
  composer.command('stop', async (ctx) => {
    const chatTopic = toChatTopic(ctx.msg);
    const scope = { ...chatTopic, hasAllTopics: isOutsideTopics(ctx, chatTopic) };
    const kinds = jobs.kinds.filter(({ describeStopped }) => describeStopped);
    const stopped = await jobs.stop(scope, ctx.user.id, { kinds });
    const hasMore = jobs.hasStoppable({ ...chatTopic, hasAllTopics: true }, ctx.user.id, kinds);
    await ctx.reply([describe(ctx, stopped), ...(hasMore ? [texts[ctx.locale].elsewhere] : [])].join(' '));
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

function describe(ctx: BotContext, stopped: ReadonlyMap<BotJobKind, StoppedCounts>): string {
  const words = texts[ctx.locale];
  const counts = [...stopped.values()];
  const stoppedCount = counts.reduce((sum, count) => sum + count.stoppedCount, 0);
  const droppedCount = counts.reduce((sum, count) => sum + count.droppedCount, 0);
  if (stoppedCount + droppedCount === 0)
    return ctx.chat && isGroup(ctx.chat) ? words.nothingOfYours : ctx.texts.nothingToStop;
  const parts = [...stopped].flatMap(([{ describeStopped }, count]) =>
    count.stoppedCount > 0 ? (describeStopped?.(count.stoppedCount, ctx.locale) ?? []) : [],
  );
  const sentence = stoppedCount > 1 ? words.several(parts.join(', ')) : ctx.texts.stopped;
  return droppedCount > 0 ? `${sentence} ${words.droppedWaiting(droppedCount)}` : sentence;
}

export const texts = defineTexts({
  en: {
    command: 'Stop what I’m doing',
    several: (kinds: string) => `Stopped: ${kinds}.`,
    nothingOfYours: 'Nothing of yours is running here. Only the users who asked can stop the rest.',
    elsewhere: 'Your requests in other topics continue. Send /stop there to stop them.',
    droppedWaiting: (count: number) =>
      `${pluralOf('en', count, { one: 'waiting message was', other: 'waiting messages were' })} discarded.`,
  },
  ru: {
    command: 'Остановить то, что я делаю',
    several: (kinds) => `Остановлено: ${kinds}.`,
    nothingOfYours: 'Ваших запросов здесь нет. Остальные могут остановить только те, кто их отправил.',
    elsewhere: 'Ваши запросы в других темах продолжаются. Чтобы остановить их, отправьте /stop там.',
    droppedWaiting: (count) =>
      `Больше не ждут ответа: ${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}.`,
  },
});
