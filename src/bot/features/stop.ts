import { Composer } from 'grammy';
import { z } from 'zod';
import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import { answerKind } from '../answers/answer-kind.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import { isGroup, toChatTopic, type WorkScope } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { isOutsideTopics } from '../topics/topics.ts';
import { imageKind } from './imagine/image-jobs.ts';
import { voiceKind } from './read-aloud/read-aloud.ts';

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
 * `/stop` and the Stop button: end an answer and keep its text. The command also stops image jobs, saves and readings:
 * those of its topic, or in a private chat outside of topics those of all topics.
 */
export const stop: Feature = {
  commands: [{ name: 'stop', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('stop', async (ctx) => {
    const chatTopic = toChatTopic(ctx.msg);
    const scope = { ...chatTopic, hasAllTopics: isOutsideTopics(ctx, chatTopic) };
    const stopped = await stopWork(services, scope, ctx.user.id);
    const hasMore = hasWork(services, { ...chatTopic, hasAllTopics: true }, ctx.user.id);
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

function describe(ctx: BotContext, { droppedCount, ...counts }: Awaited<ReturnType<typeof stopWork>>): string {
  const words = texts[ctx.locale];
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total + droppedCount === 0) return ctx.chat && isGroup(ctx.chat) ? words.nothingOfYours : ctx.texts.nothingToStop;
  const stopped = total > 1 ? words.several(counts) : ctx.texts.stopped;
  return droppedCount > 0 ? `${stopped} ${words.droppedWaiting(droppedCount)}` : stopped;
}

/** Stops the user's jobs in the scope and drops the queued ones. @returns their numbers by kind. */
export async function stopWork({ jobs, saving }: BotServices, scope: WorkScope, userId: number) {
  const saved = saving.stop(scope, userId);
  const stopped = await jobs.stop(scope, userId);
  const answers = stopped.get(answerKind);
  return {
    saved,
    imageJobs: stopped.get(imageKind)?.stoppedCount ?? 0,
    readings: stopped.get(voiceKind)?.stoppedCount ?? 0,
    answers: answers?.stoppedCount ?? 0,
    droppedCount: answers?.droppedCount ?? 0,
  };
}

/** Returns whether the user has a job in the scope that can be stopped. */
function hasWork({ jobs, saving }: BotServices, scope: WorkScope, userId: number): boolean {
  return jobs.hasStoppable(scope, userId) || saving.hasWork(scope, userId);
}

/** Number of stopped jobs by kind. */
type StoppedCounts = Omit<Awaited<ReturnType<typeof stopWork>>, 'droppedCount'>;

export const texts = defineTexts({
  en: {
    command: 'Stop what I’m doing',
    several: ({ answers, imageJobs, saved, readings }: StoppedCounts) => {
      const parts = [
        answers > 0 && pluralOf('en', answers, { one: 'answer', other: 'answers' }),
        imageJobs > 0 && pluralOf('en', imageJobs, { one: 'image', other: 'images' }),
        saved > 0 && 'saving of files',
        readings > 0 && pluralOf('en', readings, { one: 'voice message', other: 'voice messages' }),
      ];
      return `Stopped: ${parts.filter(Boolean).join(', ')}.`;
    },
    nothingOfYours: 'Nothing of yours is running here. Only the users who asked can stop the rest.',
    elsewhere: 'Your requests in other topics continue. Send /stop there to stop them.',
    droppedWaiting: (count: number) =>
      `${pluralOf('en', count, { one: 'waiting message was', other: 'waiting messages were' })} discarded.`,
  },
  ru: {
    command: 'Остановить то, что я делаю',
    several: ({ answers, imageJobs, saved, readings }) => {
      const parts = [
        answers > 0 && pluralOf('ru', answers, { one: 'ответ', few: 'ответа', other: 'ответов' }),
        imageJobs > 0 && pluralOf('ru', imageJobs, { one: 'картинка', few: 'картинки', other: 'картинок' }),
        saved > 0 && 'сохранение файлов',
        readings > 0 &&
          pluralOf('ru', readings, {
            one: 'голосовое сообщение',
            few: 'голосовых сообщения',
            other: 'голосовых сообщений',
          }),
      ];
      return `Остановлено: ${parts.filter(Boolean).join(', ')}.`;
    },
    nothingOfYours: 'Ваших запросов здесь нет. Остальные могут остановить только те, кто их отправил.',
    elsewhere: 'Ваши запросы в других темах продолжаются. Чтобы остановить их, отправьте /stop там.',
    droppedWaiting: (count) =>
      `Больше не ждут ответа: ${pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' })}.`,
  },
});
