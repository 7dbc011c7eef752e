import { Composer } from 'grammy';
import { z } from 'zod';
import { toStoredAttachment } from '../../inputs/attachment.ts';
import { type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, showView } from '../../kit/views.ts';
import { FILES_PAYLOAD } from '../inline-mode/feature.ts';
import { createDeletionByKey, deleteByKey } from './delete-by-key.ts';
import { createFileChanges, renameByText } from './file-changes.ts';
import { createFileLinks, handOverByPassword } from './file-link.ts';
import { findOwnFile, toFileMenu, toGoneAnswer } from './file-menu.ts';
import { texts } from './texts.ts';
import { findShownKey, toFileView } from './views.ts';

/** Page of the user's file list, from 0. */
const listing = {
  page: z.number(),
  /** Part of a file name. */
  search: z.string().optional(),
  /** Only shared conversations. */
  isOfPages: z.boolean().optional(),
};

/** Stored file, and the list that it was opened from. */
const file = { fileId: z.string(), listing: z.object(listing).optional() };

const actions = {
  'list-files': { fields: listing },
  'search-files': { fields: {} },
  'show-file': { fields: file },
  'rename-file': { fields: file },
  'list-file-expiries': { fields: file },
  /** Counts from the time of the callback query; `null` means never. */
  'select-file-expiry': { fields: { ...file, afterMs: z.number().nullable() } },
  /** Asks for confirmation. */
  'delete-file': { fields: file },
  'delete-file-for-good': { fields: file },
  'ask-about-file': { fields: { fileId: z.string() } },
};

export type FileListing = Omit<CallbackActionsOf<typeof actions>['list-files'], 'kind'>;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'file-search': never;
    'file-name': never;
    'file-owner-key': never;
    'file-password': never;
    'file-question': never;
  }
}

/**
 * `/files`, in private chats: a paged list of the user's files, a search, and a view of each file. `/delete`, and links
 * to files.
 */
export const files: Feature = {
  commands: [
    { name: 'files', menus: ['private'], describe: (locale) => texts[locale].command },
    { name: 'delete', menus: [] },
  ],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('files', (ctx) => listFiles(services, ctx, ctx.match));
  composer.command('start').filter(
    (ctx) => ctx.match === FILES_PAYLOAD,
    (ctx) => listFiles(services, ctx, ''),
  );
  composer.use(
    onAction(services, 'list-files', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toFileMenu(services, ctx, listing)),
    })),
    onAction(services, 'search-files', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'file-search', texts[ctx.locale].askSearch),
    })),
    onAction(services, 'show-file', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(services, ctx, fileId);
      if (!file) return toGoneAnswer(services, ctx, listing);
      return {
        afterwards: async () =>
          showView(ctx, await toFileView(services, ctx, file, findShownKey(ctx.callbackQuery?.message), listing)),
      };
    }),
    // The next message is a question about the file.
    onAction(services, 'ask-about-file', async (ctx, { fileId }) => {
      const file = await findOwnFile(services, ctx, fileId);
      if (!file) return toGoneAnswer(services, ctx);
      const question = texts[ctx.locale].askQuestion(file.name);
      return { afterwards: () => beginDialog(services, ctx, 'file-question', question, fileId) };
    }),
  );
  composer.use(createFileChanges(services), createDeletionByKey(services), createFileLinks(services));
  return {
    middleware: composer,
    dialogs: {
      'file-search': (ctx, text) => listFiles(services, ctx, text),
      'file-name': (ctx, text, fileId) => renameByText(services, ctx, text, fileId),
      'file-owner-key': (ctx, text, fileId) => deleteByKey(services, ctx, text, fileId),
      'file-password': (ctx, text, fileId) => handOverByPassword(services, ctx, text, fileId),
      'file-question': (ctx, text, fileId) => askAboutFile(services, ctx, text, fileId),
    },
  };
}

/** Shows the files whose names contain the text; all files if it is empty. */
async function listFiles(services: BotServices, ctx: BotContext, written: string): Promise<void> {
  if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
  await showView(ctx, await toFileMenu(services, ctx, { page: 0, search: toSearch(written) }));
}

/** Asks the model the text as a question about a stored file. */
async function askAboutFile(
  services: BotServices,
  ctx: BotContext,
  text: string,
  fileId: DialogSubject,
): Promise<void> {
  const file = typeof fileId === 'string' ? await findOwnFile(services, ctx, fileId) : undefined;
  const attachment = file && toStoredAttachment(services, file);
  if (!attachment || !ctx.msg) return void (await ctx.reply(texts[ctx.locale].gone));
  const telegramMessageId = ctx.msg.message_id;
  await services.questionService.ask(ctx, {
    content: text,
    attachments: [attachment],
    telegramMessageId,
    parent: undefined,
  });
}
