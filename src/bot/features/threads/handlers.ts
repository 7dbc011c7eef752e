import { Composer, InputFile, type NextFunction } from 'grammy';
import type { ListedThread } from '../../../core/conversations/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import type { CallbackActionOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { isGroup, isPrivate, toPlace } from '../../framework/place.ts';
import { type ActionAnswer, onAction } from '../../framework/press.ts';
import { toSearch } from '../../framework/search.ts';
import { showView } from '../../framework/view.ts';
import { findReachableThread, mayTakeAway, toGoneThread } from './own-thread.ts';
import { texts } from './texts/index.ts';
import { continueThread, createThreadChanges, renameThreadByText, type ThreadsServices } from './thread-changes.ts';
import { toThreadMenu, toThreadName } from './thread-menu.ts';
import { toThreadDeletion, toThreadView } from './thread-view.ts';
import { toConversationMarkdown } from './to-markdown.ts';

const THREAD_ID = /^\d{1,15}$/;

type Pressed = CallbackActionOf<'show-thread'> | CallbackActionOf<'export-thread'> | CallbackActionOf<'delete-thread'>;

/**
 * `/new` starts a conversation with an empty context in this topic. `/threads` shows a paged list of the chat's
 * conversations with search, a view of each, and an export as a file.
 */
export function createHandlers(deps: ThreadsServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('new', (ctx) => startThread(deps, ctx));
  composer.command('threads', (ctx) => listThreads(deps, ctx, ctx.match));
  composer.command('start', (ctx, next) => continueElsewhere(deps, ctx, ctx.match, next));
  composer.use(
    onAction(deps, 'new-conversation', (ctx) => ({ afterwards: () => startThread(deps, ctx) })),
    onAction(deps, 'list-threads', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing)),
    })),
    onAction(deps, 'search-threads', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'thread-search', texts[ctx.locale].askSearch),
    })),
    onAction(deps, 'show-thread', async (ctx, { threadId, listing }) => {
      const thread = await findReachableThread(deps, ctx, threadId);
      if (!thread) return toGoneThread(deps, ctx, listing);
      return { afterwards: async () => showView(ctx, await toThreadView(deps, ctx, thread, listing)) };
    }),
    onAction(deps, 'export-thread', (ctx, pressed) =>
      asOwner(deps, ctx, pressed, (thread) => sendRecord(deps, ctx, thread)),
    ),
    onAction(deps, 'delete-thread', (ctx, pressed) =>
      asOwner(deps, ctx, pressed, async (thread) =>
        showView(ctx, await toThreadDeletion(deps, ctx, thread, pressed.listing)),
      ),
    ),
    createThreadChanges(deps),
  );
  return {
    middleware: composer,
    dialogs: {
      'thread-search': (ctx, text) => listThreads(deps, ctx, text),
      'thread-title': (ctx, text, threadId) => renameThreadByText(deps, ctx, text, threadId),
    },
  };
}

async function startThread({ conversations }: ThreadsServices, ctx: BotContext): Promise<void> {
  if (!ctx.msg) return;
  await conversations.startThread(toPlace(ctx.msg), ctx.user.id);
  await ctx.reply(texts[ctx.locale].started);
}

/** Handles the link below an inline answer: the user who asked continues here. */
async function continueElsewhere(
  deps: ThreadsServices,
  ctx: BotContext,
  payload: string,
  next: NextFunction,
): Promise<void> {
  const id = readStartPayload(payload, 'continued');
  if (id === undefined || !THREAD_ID.test(id) || !isPrivate(ctx)) return next();
  const thread = await deps.conversations.findThread(Number(id));
  if (thread && thread.userId !== ctx.user.id) return void (await ctx.reply(texts[ctx.locale].notYours));
  const { hint, afterwards } = await continueThread(deps, ctx, { threadId: Number(id) });
  if (hint !== undefined) await ctx.reply(hint);
  await afterwards?.();
}

/** Shows the conversations that contain all the words; all conversations if there are none. */
async function listThreads(deps: ThreadsServices, ctx: BotContext, written: string): Promise<void> {
  await showView(ctx, await toThreadMenu(deps, ctx, { page: 0, search: toSearch(written) }));
}

async function asOwner(
  deps: ThreadsServices,
  ctx: BotContext,
  { threadId, listing }: Pressed,
  afterwards: (thread: ListedThread) => Promise<unknown>,
): Promise<ActionAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread) return toGoneThread(deps, ctx, listing);
  if (!(await mayTakeAway(ctx, thread))) return { hint: texts[ctx.locale].onlyOwner, isAlert: true };
  return { afterwards: () => afterwards(thread) };
}

async function sendRecord({ conversations }: ThreadsServices, ctx: BotContext, thread: ListedThread): Promise<void> {
  const title = toThreadName(ctx, thread);
  const questionService = texts[ctx.locale].asked(ctx.chat !== undefined && isGroup(ctx.chat));
  const record = toConversationMarkdown({ title, ...(await conversations.readRecord(thread.id)) }, questionService);
  await ctx.replyWithDocument(new InputFile(Buffer.from(record.toWellFormed()), toFileName(title)));
}

/** Returns a file name that all file systems, and Telegram, accept. */
function toFileName(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}-]+/gu) ?? ['conversation'];
  return `${words.join('_')}.md`;
}
