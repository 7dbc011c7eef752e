import type { ModelEntry } from '../../core/models/index.ts';
import { toStartLink } from '../../lib/start-link.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { Choice, ChoiceOf } from '../framework/choice.ts';
import type { BotContext } from '../framework/context.ts';
import { type ChoiceButton, type KeyboardButton, offerKeyboard, toButtonTarget } from '../framework/keyboard.ts';
import { toLeaveButton } from '../framework/leave-button.ts';
import { toPagedRows } from '../framework/paged-rows.ts';
import { markPieces, type View } from '../framework/view.ts';
import { findAnsweringModel, listChatModels, shortenMiddle } from './model-choice.ts';
import { toModelCode } from './model-code.ts';
import { findThreadModel } from './thread-model.ts';

/** What fits on a phone without scrolling. */
export const MODELS_PER_PAGE = 8;
/** What a button as wide as a phone shows of a name. */
const MAX_LABEL_CHARACTERS = 36;

/** Which part of the models is shown; `retry` is the failed answer that a choice would repeat. */
export type ModelListing = Omit<ChoiceOf<'list-models'>, 'kind'>;

/** One page of the list of models, the current one marked. A page that no longer exists shows the last one. */
export async function toModelMenu(deps: BotDeps, ctx: BotContext, listing: ModelListing): Promise<View> {
  const { search, retry, back } = listing;
  const found = listChatModels(deps.catalogue, search);
  const chosenHere = await findThreadModel(deps, ctx);
  const current = (chosenHere ?? findAnsweringModel(deps.catalogue, ctx.person)?.entry)?.id;
  const { shown, turnRow } = toPagedRows(found, listing.page, MODELS_PER_PAGE, (page) => ({
    kind: 'list-models',
    ...listing,
    page,
  }));
  const rows = [
    ...shown.map((entry) => [
      toModelButton(entry, current, { kind: 'select-model', model: entry.id, back, ...(retry && { retry }) }),
    ]),
    turnRow,
    toToolRow(deps, ctx, listing, { current, count: found.length }),
  ];
  const text = toText(ctx, current, search, found.length);
  const entities = markPieces(text, 'code', current ?? '');
  return { text, entities, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

function toText(ctx: BotContext, current: string | undefined, search: string | undefined, count: number): string {
  const words = ctx.texts.models;
  const heading = words.heading(current);
  if (search === undefined) return heading;
  return `${heading}\n${count > 0 ? words.found(count, search) : words.noneFound(search)}`;
}

/** A button for one model, marked where it is the current one. */
export function toModelButton(entry: ModelEntry, current: string | undefined, choice: Choice): ChoiceButton {
  const mark = entry.id === current ? '✓ ' : '';
  return { text: mark + shortenMiddle(entry.id, MAX_LABEL_CHARACTERS), choice };
}

function toToolRow(
  deps: BotDeps,
  { me, texts }: BotContext,
  listing: ModelListing,
  { current, count }: { readonly current: string | undefined; readonly count: number },
): KeyboardButton[] {
  const { buttons } = texts;
  const { search, retry, back } = listing;
  const all: ChoiceButton = {
    text: buttons.allModels,
    choice: { kind: 'list-models', page: 0, back, ...(retry && { retry }) },
  };
  // What one page shows needs no search.
  const find: ChoiceButton = { text: buttons.search, choice: { kind: 'search-models', ...(retry && { retry }) } };
  const isList = search === undefined && retry === undefined;
  const code = isList && current !== undefined ? toModelCode(deps.catalogue, current) : undefined;
  return [
    ...(search === undefined ? [] : [all]),
    ...(code === undefined
      ? []
      : [{ text: texts.files.buttons.copyLink, copy_text: { text: toStartLink(deps, me, 'model', code) } }]),
    ...(search !== undefined || count > MODELS_PER_PAGE ? [find] : []),
    toLeaveButton(texts, back),
  ];
}
