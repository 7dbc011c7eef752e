import { Composer } from 'grammy';
import type { Answers } from '../answers/answers.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { isPrivate } from '../files/own-file.ts';
import { CONTINUE_PAYLOAD } from '../inline/inline-answers.ts';
import { continueThread } from './thread-changes.ts';

const PAYLOAD = new RegExp(`^${CONTINUE_PAYLOAD}(\\d{1,15})$`);

/** The link below an answer in another chat: whoever has asked goes on here. */
export function createContinueElsewhereFeature(
  deps: BotDeps,
  { answers }: { readonly answers: Pick<Answers, 'isUnderWay'> },
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const [, id] = PAYLOAD.exec(ctx.match) ?? [];
    if (id === undefined || !isPrivate(ctx)) return next();
    const thread = await deps.conversations.findThread(Number(id));
    if (thread && thread.personId !== ctx.person.id) return void (await ctx.reply(ctx.texts.inline.notYours));
    const { hint, afterwards } = await continueThread(deps, ctx, answers, { threadId: Number(id) });
    if (hint !== undefined) await ctx.reply(hint);
    await afterwards?.();
  });
  return composer;
}
