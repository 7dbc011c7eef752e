import { Composer, InputFile } from 'grammy';
import { endsWithin } from '../../../lib/clock.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { type ActionAnswer, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isGroup, isPrivate, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, markParts, showView } from '../../kit/views.ts';
import { createExportArchive } from './export-archive.ts';
import { texts } from './texts.ts';

const actions = {
  'forget-everything': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** `/privacy`, `/export`, `/forget`: which data of a user is stored, an archive of it, and its deletion. */
export const personalData: Feature = {
  commands: [
    { name: 'privacy', menus: ['private'], describe: (locale) => texts[locale].command },
    { name: 'export', menus: [] },
    { name: 'forget', menus: [] },
  ],
  actions,
  create: createHandlers,
};

/** Lifetime of the confirmation button, in milliseconds, to prevent accidental deletion later. */
const CONFIRM_WITHIN_MS = 600_000;

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  // In private chats it includes the user's Telegram id, which operators need for the settings.
  composer.command('privacy', (ctx) => {
    const ownId = isGroup(ctx.chat) ? undefined : ctx.from?.id;
    const isSearchedByMeaning = services.catalogue.libraryEmbeddingModel() !== undefined;
    const { retentionDays } = services.personalData;
    const text = texts[ctx.locale].privacy({
      retentionDays,
      ownId,
      isSearchedByMeaning,
      storesNames: services.accounts.storesNames,
      isPrivate: services.administration.isPrivate,
    });
    return showView(ctx, { text, entities: ownId === undefined ? [] : markParts(text, 'code', String(ownId)) });
  });
  composer.command('export', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    const stopTyping = keepTyping(services, toChatTopic(ctx.msg), { action: 'upload_document' });
    try {
      const { bytes, linkedCount } = await createExportArchive(services, ctx);
      await ctx.replyWithDocument(new InputFile(bytes, 'export.zip'), { caption: words.exported(linkedCount) });
    } finally {
      stopTyping();
    }
  });
  composer.command('forget', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    const { conversations, files, memories, tasks } = await services.personalData.countData(ctx.user.id);
    const others = [words.forgetNotes(memories), words.forgetTasks(tasks)].join('\n');
    const rows = [
      [{ text: words.forgetNow, action: { kind: 'forget-everything' } as const }],
      [{ text: ctx.texts.buttons.cancel, action: { kind: 'close-menu' } as const }],
    ];
    const keyboard = await storeKeyboard(services, toButtonTarget(ctx), rows, CONFIRM_WITHIN_MS);
    return showView(ctx, { text: words.askForget(conversations, files, others), keyboard });
  });
  composer.use(onAction(services, 'forget-everything', (ctx) => forget(services, ctx)));
  return { middleware: composer };
}

/**
 * Stops all jobs of the user in all chats and deletes the data. The callback query is answered first, because many
 * files take time to delete.
 */
async function forget(services: BotServices, ctx: BotContext): Promise<ActionAnswer> {
  if (!isPrivate(ctx)) return { hint: ctx.texts.staleButton };
  const userId = ctx.user.id;
  return {
    afterwards: async () => {
      await services.jobs.stop('everywhere', userId);
      // Jobs that end after the deletion would store data again.
      await endsWithin(services.clock, services.jobs.whenEnded(userId), END_WITHIN_MS);
      await services.personalData.forget(userId);
      await showView(ctx, { text: texts[ctx.locale].forgotten });
    },
  };
}

/** Maximum time to wait for stopped jobs to record their end, in milliseconds. */
const END_WITHIN_MS = 20_000;
