import { Composer, InputFile } from 'grammy';
import { sleep } from '../../../lib/clock.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { isGroup, isPrivate, toChatTopic } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { markParts, showView } from '../../framework/view.ts';
import type { InlineAnswerJobs } from '../inline-mode/inline-answers.ts';
import { type OngoingWork, stopWork } from '../stop/ongoing-work.ts';
import { type ExportServices, toExportArchive } from './export-archive.ts';
import { texts } from './texts/index.ts';

type PersonalDataServices = ExportServices &
  Pick<BotDeps, 'catalogue' | 'client' | 'clock' | 'interactions'> & {
    readonly work: OngoingWork;
    readonly inline: InlineAnswerJobs;
  };

/** Lifetime of the confirmation button, in milliseconds, to prevent accidental deletion later. */
const CONFIRM_WITHIN_MS = 600_000;

/** Maximum time to wait for stopped jobs to record their end, in milliseconds. */
const END_WITHIN_MS = 20_000;

export function createHandlers(deps: PersonalDataServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  // In private chats it includes the user's Telegram id, which operators need for the settings.
  composer.command('privacy', (ctx) => {
    const ownId = isGroup(ctx.chat) ? undefined : ctx.from?.id;
    const isSearchedByMeaning = deps.catalogue.libraryEmbeddingModel() !== undefined;
    const text = texts[ctx.locale].privacy(deps.personalData.retentionDays, ownId, isSearchedByMeaning);
    return showView(ctx, { text, entities: ownId === undefined ? [] : markParts(text, 'code', String(ownId)) });
  });
  composer.command('export', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    const stopTyping = keepTyping(deps, toChatTopic(ctx.msg), { action: 'upload_document' });
    try {
      const { bytes, linkedCount } = await toExportArchive(deps, ctx);
      await ctx.replyWithDocument(new InputFile(bytes, 'export.zip'), { caption: words.exported(linkedCount) });
    } finally {
      stopTyping();
    }
  });
  composer.command('forget', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    const { conversations, files, memories, tasks } = await deps.personalData.countData(ctx.user.id);
    const others = [words.forgetNotes(memories), words.forgetTasks(tasks)].join('\n');
    const rows = [
      [{ text: words.forgetNow, action: { kind: 'forget-everything' } as const }],
      [{ text: ctx.texts.buttons.cancel, action: { kind: 'close-menu' } as const }],
    ];
    const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), rows, CONFIRM_WITHIN_MS);
    return showView(ctx, { text: words.askForget(conversations, files, others), keyboard });
  });
  composer.use(onAction(deps, 'forget-everything', (ctx) => forget(deps, ctx)));
  return { middleware: composer };
}

/**
 * Stops all jobs of the user in all chats and deletes the data. The callback query is answered first, because many
 * files take time to delete.
 */
async function forget(deps: PersonalDataServices, ctx: BotContext): Promise<ActionAnswer> {
  if (!isPrivate(ctx)) return { hint: ctx.texts.staleButton };
  const userId = ctx.user.id;
  return {
    afterwards: async () => {
      await stopWork(deps.work, 'everywhere', userId);
      deps.inline.stop(ctx.user);
      await endWork(deps, userId);
      await deps.personalData.forget(userId);
      await showView(ctx, { text: texts[ctx.locale].forgotten });
    },
  };
}

/** Waits for the user's jobs to end. Jobs that end after the deletion would store data again. */
async function endWork({ clock, inline, work }: PersonalDataServices, userId: number): Promise<void> {
  const { answers, imageJobs, saving, voices } = work;
  const graceTimer = new AbortController();
  const ended = Promise.all([answers, imageJobs, saving, voices, inline].map((one) => one.whenEnded(userId)));
  await Promise.race([ended, sleep(clock, END_WITHIN_MS, graceTimer.signal).catch(() => {})]);
  graceTimer.abort();
}
