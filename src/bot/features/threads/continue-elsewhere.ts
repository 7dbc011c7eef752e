import { Composer } from 'grammy';
import { readStartPayload } from '../../../lib/start-link.ts';
import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isPrivate } from '../files/own-file.ts';
import { continueThread } from './thread-changes.ts';

const THREAD_ID = /^\d{1,15}$/;

/** The link below an answer in another chat: whoever has asked goes on here. */
export function createContinueElsewhereFeature(
  deps: BotDeps,
  { answers }: { readonly answers: Pick<Answers, 'isUnderWay'> },
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const id = readStartPayload(ctx.match, 'continued');
    if (id === undefined || !THREAD_ID.test(id) || !isPrivate(ctx)) return next();
    const thread = await deps.conversations.findThread(Number(id));
    if (thread && thread.personId !== ctx.person.id) return void (await ctx.reply(ctx.texts.inline.notYours));
    const { hint, afterwards } = await continueThread(deps, ctx, answers, { threadId: Number(id) });
    if (hint !== undefined) await ctx.reply(hint);
    await afterwards?.();
  });
  return composer;
}
