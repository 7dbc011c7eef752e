import { Composer } from 'grammy';
import { readStartPayload } from '../../../lib/start-link.ts';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { onAction } from '../../framework/on-action.ts';
import { toSearch } from '../../framework/search.ts';
import { showView } from '../../framework/view.ts';
import { showEntry } from './entry-view.ts';
import { toFoundView } from './found-view.ts';
import { createLibraryTools } from './library-tools.ts';
import type { LibraryServices } from './services.ts';
import { texts } from './texts/index.ts';

/** `/find words` shows results in pages; each leads to its message or file. */
export function createHandlers(deps: LibraryServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('find', (ctx) => find(deps, ctx, ctx.match));
  composer.command('start', async (ctx, next) => {
    const entryId = readStartPayload(ctx.match, 'found');
    if (entryId === undefined || !isPrivate(ctx)) return next();
    const { hint, afterwards } = await showEntry(deps, ctx, entryId);
    if (hint !== undefined) await ctx.reply(hint);
    await afterwards?.();
  });
  composer.use(
    onAction(deps, 'list-found', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toFoundView(deps, ctx, listing)),
    })),
    onAction(deps, 'search-library', (ctx) => ({ afterwards: () => askSearch(deps, ctx) })),
    onAction(deps, 'show-found', (ctx, { entryId }) => showEntry(deps, ctx, entryId)),
  );
  return {
    tools: (answer) => createLibraryTools(deps, answer),
    middleware: composer,
    dialogs: { 'library-search': (ctx, text) => find(deps, ctx, text) },
  };
}

async function find(deps: LibraryServices, ctx: BotContext, written: string): Promise<void> {
  const search = toSearch(written);
  if (search === undefined) return askSearch(deps, ctx);
  await showView(ctx, await toFoundView(deps, ctx, { search, page: 0 }));
}

function askSearch(deps: LibraryServices, ctx: BotContext): Promise<void> {
  return beginDialog(deps, ctx, 'library-search', texts[ctx.locale].askSearch);
}
