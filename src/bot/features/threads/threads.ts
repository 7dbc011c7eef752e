import { Composer, InputFile } from 'grammy';
import type { ListedThread } from '../../../core/conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import { isGroup } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { toSearch } from '../files/file-menu.ts';
import { findReachableThread, mayTakeAway, toGoneThread } from './own-thread.ts';
import { toThreadMenu, toThreadName } from './thread-menu.ts';
import { toThreadDeletion, toThreadView } from './thread-view.ts';
import { toConversationMarkdown } from './to-markdown.ts';

type Pressed = ChoiceOf<'show-thread'> | ChoiceOf<'export-thread'> | ChoiceOf<'delete-thread'>;

/** `/threads`: a paged list of the conversations of this chat, a search, and one view for each; a copy as a file. */
export function createThreadsFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('threads', (ctx) => listThreads(deps, ctx, ctx.match));
  composer.use(
    onPress(deps, 'list-threads', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing)),
    })),
    onPress(deps, 'search-threads', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'thread-search', ctx.texts.threads.askSearch),
    })),
    onPress(deps, 'show-thread', async (ctx, { threadId, listing }) => {
      const thread = await findReachableThread(deps, ctx, threadId);
      if (!thread) return toGoneThread(deps, ctx, listing);
      return { afterwards: async () => showView(ctx, await toThreadView(deps, ctx, thread, listing)) };
    }),
    onPress(deps, 'export-thread', (ctx, pressed) =>
      asOwner(deps, ctx, pressed, (thread) => sendRecord(deps, ctx, thread)),
    ),
    onPress(deps, 'delete-thread', (ctx, pressed) =>
      asOwner(deps, ctx, pressed, async (thread) =>
        showView(ctx, await toThreadDeletion(deps, ctx, thread, pressed.listing)),
      ),
    ),
  );
  return composer;
}

/** Shows the conversations that have all the words in them; all where none was written. */
export async function listThreads(deps: BotDeps, ctx: BotContext, written: string): Promise<void> {
  await showView(ctx, await toThreadMenu(deps, ctx, { page: 0, search: toSearch(written) }));
}

async function asOwner(
  deps: BotDeps,
  ctx: BotContext,
  { threadId, listing }: Pressed,
  afterwards: (thread: ListedThread) => Promise<unknown>,
): Promise<PressAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread) return toGoneThread(deps, ctx, listing);
  if (!(await mayTakeAway(ctx, thread))) return { hint: ctx.texts.threads.onlyOwner, isAlert: true };
  return { afterwards: () => afterwards(thread) };
}

async function sendRecord({ conversations }: BotDeps, ctx: BotContext, thread: ListedThread): Promise<void> {
  const title = toThreadName(ctx, thread);
  const asker = ctx.texts.threads.asked(ctx.chat !== undefined && isGroup(ctx.chat));
  const record = toConversationMarkdown({ title, ...(await conversations.readRecord(thread.id)) }, asker);
  await ctx.replyWithDocument(new InputFile(Buffer.from(record.toWellFormed()), toFileName(title)));
}

/** A title as every system, and Telegram, takes it for a file. */
function toFileName(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}-]+/gu) ?? ['conversation'];
  return `${words.join('_')}.md`;
}
