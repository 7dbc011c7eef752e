import type { ModelEntry } from '../core/models/index.ts';
import type { BotDeps } from './bot-deps.ts';
import type { ChoiceOf } from './choice.ts';
import type { BotContext } from './context.ts';
import { type ChoiceButton, offerKeyboard } from './keyboard.ts';
import { findAnsweringModel, listChatModels, shortenMiddle } from './model-choice.ts';
import { markPieces, type View } from './view.ts';

const MODELS_PER_PAGE = 8;
/** What a button as wide as a phone shows of a name. */
const MAX_LABEL_CHARACTERS = 36;

/** Which part of the models is shown; `retry` is the failed answer that a choice would repeat. */
export type ModelListing = Omit<ChoiceOf<'list-models'>, 'kind'>;

/** One page of the list of models, the current one marked. A page that no longer exists shows the last one. */
export async function toModelMenu(deps: BotDeps, ctx: BotContext, listing: ModelListing): Promise<View> {
  const { search, retry } = listing;
  const found = listChatModels(deps.catalogue, search);
  const pageCount = Math.max(1, Math.ceil(found.length / MODELS_PER_PAGE));
  const page = Math.min(Math.max(0, listing.page), pageCount - 1);
  const current = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id;
  const shown = found.slice(page * MODELS_PER_PAGE, (page + 1) * MODELS_PER_PAGE);
  const rows = [
    ...shown.map((entry) => [toModelButton(entry, current, retry)]),
    toPageRow({ ...listing, page }, pageCount),
    toToolRow(ctx, listing),
  ];
  const text = toText(ctx, current, search, found.length);
  const entities = markPieces(text, 'code', current ?? '');
  return { text, entities, keyboard: await offerKeyboard(deps, ctx.person.id, rows) };
}

function toText(ctx: BotContext, current: string | undefined, search: string | undefined, count: number): string {
  const words = ctx.texts.models;
  const heading = words.heading(current);
  if (search === undefined) return heading;
  return `${heading}\n${count > 0 ? words.found(count, search) : words.noneFound(search)}`;
}

function toModelButton(entry: ModelEntry, current: string | undefined, retry: ModelListing['retry']): ChoiceButton {
  const mark = entry.id === current ? '✓ ' : '';
  return {
    text: mark + shortenMiddle(entry.id, MAX_LABEL_CHARACTERS),
    choice: { kind: 'select-model', model: entry.id, ...(retry && { retry }) },
  };
}

function toPageRow(listing: ModelListing, pageCount: number): ChoiceButton[] {
  const { page } = listing;
  if (pageCount === 1) return [];
  const turn = (text: string, to: number): ChoiceButton => ({
    text,
    choice: { kind: 'list-models', ...listing, page: to },
  });
  return [
    // The ends wrap around, so that no button moves under the finger.
    turn('«', (page - 1 + pageCount) % pageCount),
    { text: `${page + 1}/${pageCount}`, choice: { kind: 'show-page-number' } },
    turn('»', (page + 1) % pageCount),
  ];
}

function toToolRow(ctx: BotContext, listing: ModelListing): ChoiceButton[] {
  const { buttons } = ctx.texts;
  const { search, retry } = listing;
  const all: ChoiceButton = {
    text: buttons.allModels,
    choice: { kind: 'list-models', page: 0, ...(retry && { retry }) },
  };
  return [
    ...(search === undefined ? [] : [all]),
    { text: buttons.search, choice: { kind: 'search-models' } },
    { text: buttons.close, choice: { kind: 'close-menu' } },
  ];
}
