import { Composer, type MiddlewareFn } from 'grammy';
import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup, toPlace } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';
import { isOutsideTopics } from '../../topics/open-topic.ts';
import { hasWork, type OngoingWork, stopWork } from './ongoing-work.ts';

/**
 * `/stop` and the Stop button: the answer ends where it is and keeps its text. The command stops drawings, files and readings as well: in
 * a topic those of the topic, in a private chat outside of topics (where nothing goes on) those of all.
 */
export function createStopFeature(deps: BotDeps, work: OngoingWork): Composer<BotContext> {
  const { answers } = work;
  const composer = new Composer<BotContext>();
  composer.command('stop', async (ctx) => {
    const place = toPlace(ctx.msg);
    const scope = { ...place, hasAllTopics: isOutsideTopics(ctx, place) };
    const stopped = await stopWork(work, scope, ctx.person.id);
    const goesOn = hasWork(work, { ...place, hasAllTopics: true }, ctx.person.id);
    await ctx.reply([describe(ctx, stopped), ...(goesOn ? [ctx.texts.stopping.elsewhere] : [])].join(' '));
  });
  composer.use(
    onPress(deps, 'stop', async (ctx, { answerId }) => {
      const place = ctx.msg && toPlace(ctx.msg);
      const stopped = place && (await answers.stop(place, ctx.person.id, answerId));
      return { hint: stopped && stopped.stoppedCount > 0 ? ctx.texts.stopped : ctx.texts.nothingToStop };
    }),
    onPress(deps, 'drop-waiting', async (ctx) => {
      const count = ctx.msg ? await answers.dropWaiting(toPlace(ctx.msg), ctx.person.id) : 0;
      return { hint: count > 0 ? ctx.texts.droppedWaiting(count) : ctx.texts.nothingToStop };
    }),
  );
  return composer;
}

function describe(
  { texts, chat }: BotContext,
  { droppedCount, ...counts }: Awaited<ReturnType<typeof stopWork>>,
): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total + droppedCount === 0) return chat && isGroup(chat) ? texts.stopping.nothingOfYours : texts.nothingToStop;
  const stopped = total > 1 ? texts.stopping.several(counts) : texts.stopped;
  return droppedCount > 0 ? `${stopped} ${texts.droppedWaiting(droppedCount)}` : stopped;
}

/** The button of a native draft: the same as the Stop button. It comes without a sender, for drafts are in private chats only. */
export function createDraftStopFeature(
  { accounts }: Pick<BotDeps, 'accounts'>,
  answers: Answers,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const stopped = ctx.update.stopped_message_generation;
    if (!stopped) return next();
    const person = await accounts.findTelegramPerson(stopped.chat.id);
    const place = { chatId: stopped.chat.id, topicId: stopped.message_thread_id };
    // Servers send the id as a string, whatever the types say.
    if (person) await answers.stop(place, person.id, Number(stopped.draft_id));
  };
}
