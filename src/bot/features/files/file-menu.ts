import type { StoredFile } from '../../../core/storage/index.ts';
import { shortenMiddle } from '../../choices/model-choice.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, loadPagedRows, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import type { FileListing } from './feature.ts';
import { texts } from './texts.ts';
import { toFileTitle } from './views.ts';

/** Number of files that fit on a phone without scrolling. */
const FILES_PER_PAGE = 8;
/** Number of characters of a name and size that fit on a button of a phone's full width. */
const MAX_LABEL_CHARACTERS = 36;

/**
 * Returns one page of the user's files, newest first. Beyond the last page, returns the last one.
 * @param deletedName name of a file that has just been deleted.
 */
export async function toFileMenu(
  services: BotServices,
  ctx: BotContext,
  listing: FileListing,
  deletedName?: string,
): Promise<View> {
  const { search, isOfPages } = listing;
  const { page, files, totalCount, totalBytes, pagerRow } = await loadPagedRows(
    listing.page,
    FILES_PER_PAGE,
    (range) => services.storage.list(ctx.user.id, { search, kind: isOfPages ? 'conversation' : undefined, ...range }),
    (to) => ({ kind: 'list-files', search, isOfPages, page: to }),
  );
  const words = texts[ctx.locale];
  const rows = [
    ...files.map((file) => [toFileButton(ctx, file, { page, search, isOfPages })]),
    pagerRow,
    toToolRow(ctx, listing, totalCount),
  ];
  const heading = isOfPages ? words.page.count(totalCount) : toHeading(ctx, search, totalCount, totalBytes);
  const text = deletedName === undefined ? heading : `${words.deleted(deletedName)}\n\n${heading}`;
  const entities = markParts(text, 'code', deletedName ?? '', search ?? '');
  return { text, entities, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

function toHeading({ locale }: BotContext, search: string | undefined, count: number, sizeBytes: number): string {
  const words = texts[locale];
  if (search === undefined) return count > 0 ? words.heading(count, sizeBytes) : words.empty;
  return count > 0 ? words.found(count, search) : words.noneFound(search);
}

function toFileButton(ctx: BotContext, file: StoredFile, listing: FileListing): ActionButton {
  const size = ` · ${ctx.texts.size(file.sizeBytes)}`;
  const mark = file.kind === 'conversation' ? '💬 ' : '';
  return {
    text: mark + shortenMiddle(toFileTitle(file), MAX_LABEL_CHARACTERS - size.length - mark.length) + size,
    action: { kind: 'show-file', fileId: file.id, listing },
  };
}

function toToolRow(ctx: BotContext, { search, isOfPages }: FileListing, count: number): readonly ActionButton[] {
  const all: ActionButton = { text: texts[ctx.locale].buttons.allFiles, action: { kind: 'list-files', page: 0 } };
  const find: ActionButton = { text: ctx.texts.buttons.search, action: { kind: 'search-files' } };
  return [
    ...(search === undefined && !isOfPages ? [] : [all]),
    ...((search === undefined && count === 0) || isOfPages ? [] : [find]),
    { text: ctx.texts.buttons.close, action: { kind: 'close-menu' } },
  ];
}

/** Returns the file if it exists and belongs to the user. */
export async function findOwnFile(
  services: BotServices,
  ctx: BotContext,
  fileId: string,
): Promise<StoredFile | undefined> {
  const file = await services.storage.find(fileId);
  return file?.userId === ctx.user.id ? file : undefined;
}

/** Returns the notice for a file that has expired or was deleted, and shows the list. */
export function toGoneAnswer(services: BotServices, ctx: BotContext, listing?: FileListing): ActionAnswer {
  const hint = texts[ctx.locale].gone;
  if (!isPrivate(ctx)) return { hint };
  return { hint, afterwards: async () => showView(ctx, await toFileMenu(services, ctx, listing ?? FIRST_PAGE)) };
}

export const FIRST_PAGE: FileListing = { page: 0 };
