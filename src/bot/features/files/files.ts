import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { onPress } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { toFileMenu, toSearch } from './file-menu.ts';
import { findShownKey, toFileView } from './file-view.ts';
import { findOwnFile, isPrivate, toGoneAnswer } from './own-file.ts';

/** What the payload of `/start` is where somebody comes from inline mode: a list says how files get in. */
export const FILES_PAYLOAD = 'files';

/** `/files`: a paged list of what the person has stored, a search, and one view for each file. In private chats only. */
export function createFilesFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('files', (ctx) => listFiles(deps, ctx, ctx.match));
  composer.command('start').filter(
    (ctx) => ctx.match === FILES_PAYLOAD,
    (ctx) => listFiles(deps, ctx, ''),
  );
  composer.use(
    onPress(deps, 'list-files', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toFileMenu(deps, ctx, listing)),
    })),
    onPress(deps, 'search-files', (ctx) => ({
      afterwards: () => beginDialog(deps, ctx, 'file-search', ctx.texts.fileMenu.askSearch),
    })),
    onPress(deps, 'show-file', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(deps, ctx, fileId);
      if (!file) return toGoneAnswer(deps, ctx, listing);
      return {
        afterwards: async () =>
          showView(ctx, await toFileView(deps, ctx, file, findShownKey(ctx.callbackQuery?.message), listing)),
      };
    }),
  );
  return composer;
}

/** Shows the files whose names have what was written in them; all where nothing was. */
export async function listFiles(deps: BotDeps, ctx: BotContext, written: string): Promise<void> {
  if (!isPrivate(ctx)) return leadToPrivate(ctx, ctx.texts.fileMenu.onlyPrivate);
  await showView(ctx, await toFileMenu(deps, ctx, { page: 0, search: toSearch(written) }));
}
