import { Composer } from 'grammy';
import { z } from 'zod';
import { readStartPayload } from '../../../lib/start-link.ts';
import { type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { createLibraryTools } from './library-tools.ts';
import { texts } from './texts.ts';
import { showEntry, toFoundView } from './views.ts';

/** Page of results, from 0. */
const listing = { search: z.string(), page: z.number() };

const actions = {
  'list-found': { fields: listing },
  'search-library': { fields: {} },
  'show-found': { fields: { entryId: z.string() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'library-search': never;
  }
}

/**
 * `/find words`: results in pages, each of which leads to its message or file. Tools that search what a user, or a
 * group, has given to the bot, and its answers.
 */
export const library: Feature = {
  commands: [{ name: 'find', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
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
