import { Composer } from 'grammy';
import type { StoredFile } from '../../../core/storage/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf, FileListing } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { markPieces, showView, type View } from '../../framework/view.ts';
import { toFileMenu } from './file-menu.ts';
import { findShownKey, toFileTitle, toFileView } from './file-view.ts';
import { completeName } from './new-name.ts';
import { FIRST_PAGE, findOwnFile, isPrivate, toGoneAnswer } from './own-file.ts';
import { toShownName } from './shown-name.ts';

const HOUR_MS = 3_600_000;
/** Hours from the press on, as many in a row as a phone shows. */
const EXPIRY_ROWS = [
  [1, 24],
  [7 * 24, 30 * 24],
] as const;

/** The buttons below a file: another name, another expiry, deletion. They work for its owner alone. */
export function createFileChangesFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'rename-file', async (ctx, { fileId, listing }) => {
      if (!(await findOwnFile(deps, ctx, fileId))) return toGoneAnswer(deps, ctx, listing);
      return { afterwards: () => beginDialog(deps, ctx, 'file-name', ctx.texts.fileMenu.askName, fileId) };
    }),
    onPress(deps, 'list-file-expiries', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(deps, ctx, fileId);
      if (!file) return toGoneAnswer(deps, ctx, listing);
      return { afterwards: async () => showView(ctx, await toExpiryView(deps, ctx, file, listing)) };
    }),
    onPress(deps, 'select-file-expiry', (ctx, selected) => selectExpiry(deps, ctx, selected)),
  );
  composer.use(
    onPress(deps, 'delete-file', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(deps, ctx, fileId);
      if (!file) return toGoneAnswer(deps, ctx, listing);
      return { afterwards: async () => showView(ctx, await toDeletionView(deps, ctx, file, listing)) };
    }),
    onPress(deps, 'delete-file-for-good', async (ctx, { fileId, listing }) => {
      const file = await findOwnFile(deps, ctx, fileId);
      const outcome = file && (await deps.storage.delete(fileId, { personId: ctx.person.id }));
      if (!file || outcome !== 'deleted') return toGoneAnswer(deps, ctx, listing);
      return { afterwards: async () => showView(ctx, await toDeletedView(deps, ctx, file, listing)) };
    }),
  );
  return composer;
}

/** Gives a file the name that the person wrote. An ending that was left out stays. */
export async function renameByText(deps: BotDeps, ctx: BotContext, text: string, fileId: DialogSubject) {
  const { fileMenu } = ctx.texts;
  const file = typeof fileId === 'string' ? await findOwnFile(deps, ctx, fileId) : undefined;
  if (!file) return void (await ctx.reply(fileMenu.gone));
  const name = completeName(text, file.name);
  if (name === undefined) return beginDialog(deps, ctx, 'file-name', fileMenu.badName, file.id);
  const renamed = await deps.storage.change(file.id, { personId: ctx.person.id }, { name });
  if (!renamed) return void (await ctx.reply(fileMenu.gone));
  const view = await toFileView(deps, ctx, renamed, undefined, isPrivate(ctx) ? FIRST_PAGE : undefined);
  await showView(ctx, below(view, fileMenu.renamed));
}

async function selectExpiry(deps: BotDeps, ctx: BotContext, selected: ChoiceOf<'select-file-expiry'>) {
  const { fileId, listing, afterMs } = selected;
  const expiresAt = afterMs === null ? null : new Date(deps.clock.now() + afterMs);
  const file = await deps.storage.change(fileId, { personId: ctx.person.id }, { expiresAt });
  if (!file) return toGoneAnswer(deps, ctx, listing);
  return {
    hint: ctx.texts.fileMenu.expirySaved,
    afterwards: async () =>
      showView(ctx, await toFileView(deps, ctx, file, findShownKey(ctx.callbackQuery?.message), listing)),
  };
}

async function toExpiryView(
  deps: BotDeps,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const { buttons, fileMenu } = ctx.texts;
  const toChoice = (afterMs: number | null) =>
    ({ kind: 'select-file-expiry', fileId: file.id, listing, afterMs }) as const;
  const never = `${file.expiresAt ? '' : '✓ '}${fileMenu.buttons.never}`;
  return askBelow(deps, ctx, { file, listing, question: fileMenu.askExpiry }, [
    ...EXPIRY_ROWS.map((row) =>
      row.map((hours) => ({ text: fileMenu.buttons.after(hours), choice: toChoice(hours * HOUR_MS) })),
    ),
    [{ text: never, choice: toChoice(null) }],
    [{ text: buttons.back, choice: { kind: 'show-file', fileId: file.id, listing } }],
  ]);
}

/** Asks whether the file shall really go. */
export function toDeletionView(
  deps: BotDeps,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const { files, fileMenu, share } = ctx.texts;
  const chosen = { fileId: file.id, listing };
  const question = file.kind === 'conversation' ? share.askDeletion : fileMenu.askDeletion;
  return askBelow(deps, ctx, { file, listing, question }, [
    [
      { text: files.buttons.delete, choice: { kind: 'delete-file-for-good', ...chosen } },
      { text: fileMenu.buttons.keep, choice: { kind: 'show-file', ...chosen } },
    ],
  ]);
}

async function toDeletedView(
  deps: BotDeps,
  ctx: BotContext,
  file: StoredFile,
  listing: FileListing | undefined,
): Promise<View> {
  const name = toShownName(toFileTitle(file));
  if (isPrivate(ctx)) return toFileMenu(deps, ctx, listing ?? FIRST_PAGE, name);
  const text = ctx.texts.fileMenu.deleted(name);
  return { text, entities: markPieces(text, 'code', name) };
}

/** A question about a file, in its message. What stands there stays: perhaps it is the only place with the owner key. */
async function askBelow(
  deps: BotDeps,
  ctx: BotContext,
  about: { readonly file: StoredFile; readonly listing: FileListing | undefined; readonly question: string },
  rows: readonly (readonly ChoiceButton[])[],
): Promise<View> {
  const view = await toFileView(deps, ctx, about.file, findShownKey(ctx.callbackQuery?.message), about.listing);
  return { ...below(view, about.question), keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

/** A view with a sentence below it. */
function below(view: View, sentence: string): View {
  return { ...view, text: `${view.text}\n\n${sentence}` };
}
