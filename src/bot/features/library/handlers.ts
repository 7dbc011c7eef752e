import { Composer } from 'grammy';
import { readStartPayload } from '../../../lib/start-link.ts';
import { onAction } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { showEntry } from './entry-view.ts';
import { toFoundView } from './found-view.ts';
import { createLibraryTools } from './library-tools.ts';
import { texts } from './texts.ts';

/** `/find words` shows results in pages; each leads to its message or file. */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('find', (ctx) => find(services, ctx, ctx.match));
  composer.command('start', async (ctx, next) => {
    const entryId = readStartPayload(ctx.match, 'found');
    if (entryId === undefined || !isPrivate(ctx)) return next();
    const { hint, afterwards } = await showEntry(services, ctx, entryId);
    if (hint !== undefined) await ctx.reply(hint);
    await afterwards?.();
  });
  composer.use(
    onAction(services, 'list-found', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toFoundView(services, ctx, listing)),
    })),
    onAction(services, 'search-library', (ctx) => ({ afterwards: () => askSearch(services, ctx) })),
    onAction(services, 'show-found', (ctx, { entryId }) => showEntry(services, ctx, entryId)),
  );
  return {
    tools: (answer) => createLibraryTools(services, answer),
    middleware: composer,
    dialogs: { 'library-search': (ctx, text) => find(services, ctx, text) },
  };
}

async function find(services: BotServices, ctx: BotContext, written: string): Promise<void> {
  const search = toSearch(written);
  if (search === undefined) return askSearch(services, ctx);
  await showView(ctx, await toFoundView(services, ctx, { search, page: 0 }));
}

function askSearch(services: BotServices, ctx: BotContext): Promise<void> {
  return beginDialog(services, ctx, 'library-search', texts[ctx.locale].askSearch);
}
