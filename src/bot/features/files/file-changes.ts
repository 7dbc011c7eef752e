import { Composer } from 'grammy';
import type { StoredFile } from '../../../core/storage/index.ts';
import { type CallbackActionOf, onAction } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import type { FileListing } from './feature.ts';
import { FIRST_PAGE, findOwnFile, toFileMenu, toGoneAnswer } from './file-menu.ts';
import { texts } from './texts.ts';
import { findShownKey, toFileTitle, toFileView } from './views.ts';

/** Lifetimes in hours, in rows that fit on a phone. */
const EXPIRY_ROWS = [
  [1, 24],
  [7 * 24, 30 * 24],
] as const;

/** Buttons below a file: rename, change the expiry, delete. For the owner only. */
export function createFileChanges(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'rename-file', async (ctx, { fileId, listing }) => {
      if (!(await findOwnFile(services, ctx, fileId))) return toGoneAnswer(services, ctx, listing);
      return { afterwards: () => beginDialog(services, ctx, 'file-name', texts[ctx.locale].askName, fileId) };
    }),
    onAction(services, 'list-file-expiries', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(services, ctx, fileId);
      if (!file) return toGoneAnswer(services, ctx, listing);
      return { afterwards: async () => showView(ctx, await toExpiryView(services, ctx, file, listing)) };
    }),
    onAction(services, 'select-file-expiry', (ctx, selected) => selectExpiry(services, ctx, selected)),
  );
  composer.use(
    onAction(services, 'delete-file', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(services, ctx, fileId);
      if (!file) return toGoneAnswer(services, ctx, listing);
      return { afterwards: async () => showView(ctx, await toDeletionView(services, ctx, file, listing)) };
    }),
    onAction(services, 'delete-file-for-good', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(services, ctx, fileId);
      const outcome = file && (await services.storage.delete(fileId, { userId: ctx.user.id }));
      if (!file || outcome !== 'deleted') return toGoneAnswer(services, ctx, listing);
      return { afterwards: async () => showView(ctx, await toDeletedView(services, ctx, file, listing)) };
    }),
  );
  return composer;
}

/** Renames a file to the text that the user sent. A missing extension is taken from the old name. */
export async function renameByText(services: BotServices, ctx: BotContext, text: string, fileId: DialogSubject) {
  const words = texts[ctx.locale];
  const file = typeof fileId === 'string' ? await findOwnFile(services, ctx, fileId) : undefined;
  if (!file) return void (await ctx.reply(words.gone));
  const name = completeName(text, file.name);
  if (name === undefined) return beginDialog(services, ctx, 'file-name', words.badName, file.id);
  const renamed = await services.storage.change(file.id, { userId: ctx.user.id }, { name });
  if (!renamed) return void (await ctx.reply(words.gone));
  const view = await toFileView(services, ctx, renamed, undefined, isPrivate(ctx) ? FIRST_PAGE : undefined);
  await showView(ctx, below(view, words.renamed));
}

async function selectExpiry(services: BotServices, ctx: BotContext, selected: CallbackActionOf<'select-file-expiry'>) {
  const { fileId, listing, afterMs } = selected;
  const expiresAt = afterMs === null ? null : new Date(services.clock.now() + afterMs);
  const file = await services.storage.change(fileId, { userId: ctx.user.id }, { expiresAt });
  if (!file) return toGoneAnswer(services, ctx, listing);
  return {
    hint: texts[ctx.locale].expirySaved,
    afterwards: async () =>
      showView(ctx, await toFileView(services, ctx, file, findShownKey(ctx.callbackQuery?.message), listing)),
  };
}

const HOUR_MS = 3_600_000;

async function toExpiryView(
  services: BotServices,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const words = texts[ctx.locale];
  const toAction = (afterMs: number | null) =>
    ({ kind: 'select-file-expiry', fileId: file.id, listing, afterMs }) as const;
  const never = `${file.expiresAt ? '' : '✓ '}${words.buttons.never}`;
  return askBelow(services, ctx, { file, listing, question: words.askExpiry }, [
    ...EXPIRY_ROWS.map((row) =>
      row.map((hours) => ({ text: words.buttons.after(hours), action: toAction(hours * HOUR_MS) })),
    ),
    [{ text: never, action: toAction(null) }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-file', fileId: file.id, listing } }],
  ]);
}

/** Asks the user to confirm the deletion. */
export function toDeletionView(
  services: BotServices,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const words = texts[ctx.locale];
  const chosen = { fileId: file.id, listing };
  const question = file.kind === 'conversation' ? words.page.askDeletion : words.askDeletion;
  return askBelow(services, ctx, { file, listing, question }, [
    [
      { text: words.buttons.delete, action: { kind: 'delete-file-for-good', ...chosen } },
      { text: words.buttons.keep, action: { kind: 'show-file', ...chosen } },
    ],
  ]);
}

async function toDeletedView(
  services: BotServices,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const name = toShownName(toFileTitle(file));
  if (isPrivate(ctx)) return toFileMenu(services, ctx, listing ?? FIRST_PAGE, name);
  const text = texts[ctx.locale].deleted(name);
  return { text, entities: markParts(text, 'code', name) };
}

/**
 * Adds a question below the view of a file, in the same message. The text is kept, because it may be the only place
 * with the owner key.
 */
async function askBelow(
  services: BotServices,
  ctx: BotContext,
  about: { readonly file: StoredFile; readonly listing: FileListing | undefined; readonly question: string },
  rows: readonly (readonly ActionButton[])[],
): Promise<View> {
  const view = await toFileView(services, ctx, about.file, findShownKey(ctx.callbackQuery?.message), about.listing);
  return { ...below(view, about.question), keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Appends a sentence to a view. */
function below(view: View, sentence: string): View {
  return { ...view, text: `${view.text}\n\n${sentence}` };
}

/** Matches the extension of a file name. Digits alone are not an extension: they end a date or a version. */
const ENDING = /(?!^)(?:\.tar)?\.(?=[^.]*\p{L})[^. /\\]{1,16}$/iu;

/**
 * Returns the name that the user wrote, with the extension of the old name if it has none. The result is not sanitized.
 * @returns undefined if the name has no visible characters.
 */
function completeName(written: string, oldName: string): string | undefined {
  const name = written.replace(/\s+/gu, ' ').replace(/(?<![\\/. ])[\\/. ]+$/, '');
  const last = name.split(/[\\/]/).at(-1) ?? '';
  if (!/[^\p{C}\p{Z}.]/u.test(last)) return undefined;
  const oldEnding = ENDING.exec(oldName)?.[0] ?? '';
  return ENDING.test(last) ? name : name + oldEnding;
}
