import { Composer } from 'grammy';
import type { ListedThread } from '../../../core/conversations/index.ts';
import { TooManyPagesError } from '../../../core/shared-conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { toPlace } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView, type View } from '../../framework/view.ts';
import { toFileMenu } from '../files/file-menu.ts';
import { toFileView } from '../files/file-view.ts';
import { isPrivate } from '../files/own-file.ts';
import { describeSaveFailure, toSaveFailure } from '../save/save-failure.ts';
import { findReachableThread, toGoneThread } from '../threads/own-thread.ts';
import { toThreadName } from '../threads/thread-menu.ts';
import { toShareQuestion } from './share-view.ts';
import { listShareable, takeSnapshot } from './take-snapshot.ts';

const TIMEOUT_MS = 60_000;

/** `/share`, and the button below a conversation: a page with what was said so far, for everybody who has its link. */
export function createShareFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('share', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, ctx.texts.share.onlyPrivate);
    const current = await deps.conversations.findCurrentThread(toPlace(ctx.msg));
    const thread = current && (await deps.conversations.findListedThread(current.id));
    await showView(ctx, (thread && (await toShareQuestion(deps, ctx, thread))) ?? (await toNothing(deps, ctx)));
  });
  composer.use(
    onPress(deps, 'share-thread', async (ctx, { threadId, listing }) => {
      if (!isPrivate(ctx)) return { hint: ctx.texts.share.onlyPrivate, isAlert: true };
      const thread = await findReachableThread(deps, ctx, threadId);
      const view = thread && (await toShareQuestion(deps, ctx, thread, listing ?? { page: 0 }));
      return view ? { afterwards: () => showView(ctx, view) } : toGoneThread(deps, ctx, listing);
    }),
    onPress(deps, 'share-thread-now', (ctx, pressed) => shareNow(deps, ctx, pressed)),
  );
  return composer;
}

/** What was shared before can be looked after, whatever stands in the conversation. */
async function toNothing(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { nothing } = ctx.texts.share;
  if ((await deps.sharedConversations.count(ctx.person.id)) === 0) return { text: nothing };
  const menu = await toFileMenu(deps, ctx, { page: 0, isOfPages: true });
  return { ...menu, text: `${nothing}\n\n${menu.text}` };
}

async function shareNow(deps: BotDeps, ctx: BotContext, pressed: ChoiceOf<'share-thread-now'>): Promise<PressAnswer> {
  const thread = await findReachableThread(deps, ctx, pressed.threadId);
  const head = await deps.conversations.findMessage(pressed.headId);
  if (!thread || head?.threadId !== thread.id || !isPrivate(ctx)) return toGoneThread(deps, ctx);
  return {
    afterwards: async () => {
      // Without its buttons: one press makes one page.
      await showView(ctx, { text: ctx.texts.share.making });
      await showView(ctx, await toPageView(deps, ctx, thread, pressed));
    },
  };
}

async function toPageView(
  deps: BotDeps,
  ctx: BotContext,
  thread: ListedThread,
  { headId, hasPictures }: ChoiceOf<'share-thread-now'>,
): Promise<View> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const messages = await takeSnapshot(deps, await listShareable(deps, headId), { hasPictures }, signal);
    const order = {
      personId: ctx.person.id,
      title: toThreadName(ctx, thread),
      botUsername: ctx.me.username,
      messages,
    };
    const page = await deps.sharedConversations.share(order, signal);
    return await toFileView(deps, ctx, page, page.ownerKey);
  } catch (error) {
    if (error instanceof TooManyPagesError) return { text: ctx.texts.share.tooMany(error.limit) };
    const failure = toSaveFailure(error);
    if (failure.kind === 'internal') deps.logger.error({ err: error }, 'a conversation could not be shared');
    return { text: describeSaveFailure(ctx.texts, failure) };
  }
}
