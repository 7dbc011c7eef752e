import { Composer, type MiddlewareFn } from 'grammy';
import type { Answers } from '../answers/answers.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import type { SaveJobs } from '../files/save-jobs.ts';
import type { PictureJobs } from '../imagine/picture-jobs.ts';
import { onPress } from '../keyboards/press.ts';
import { toPlace } from '../place.ts';
import type { VoiceJobs } from '../voice/voice-jobs.ts';

/** `/stop` and the Stop button: the answer ends where it is and keeps its text. The command stops drawings, files and readings as well. */
export function createStopFeature(
  deps: BotDeps,
  work: {
    readonly answers: Answers;
    readonly drawings: PictureJobs;
    readonly saving: SaveJobs;
    readonly voices: VoiceJobs;
  },
): Composer<BotContext> {
  const { answers } = work;
  const composer = new Composer<BotContext>();
  composer.command('stop', async (ctx) => {
    const place = toPlace(ctx.msg);
    const jobs = [work.drawings, work.saving, work.voices];
    const stoppedJobs = jobs.reduce((sum, one) => sum + one.stop(place, ctx.person.id), 0);
    const { wasWriting, droppedCount } = await answers.stop(place, ctx.person.id);
    if (droppedCount > 0) return ctx.reply(ctx.texts.stoppedWithWaiting(droppedCount));
    return ctx.reply(wasWriting || stoppedJobs > 0 ? ctx.texts.stopped : ctx.texts.nothingToStop);
  });
  composer.use(
    onPress(deps, 'stop', async (ctx, { answerId }) => {
      const place = ctx.msg && toPlace(ctx.msg);
      const stopped = place && (await answers.stop(place, ctx.person.id, answerId));
      return { hint: stopped?.wasWriting ? ctx.texts.stopped : ctx.texts.nothingToStop };
    }),
    onPress(deps, 'drop-waiting', async (ctx) => {
      const count = ctx.msg ? await answers.dropWaiting(toPlace(ctx.msg), ctx.person.id) : 0;
      return { hint: count > 0 ? ctx.texts.droppedWaiting(count) : ctx.texts.nothingToStop };
    }),
  );
  return composer;
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
