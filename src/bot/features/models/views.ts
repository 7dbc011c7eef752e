import { toStartLink } from '../../../lib/start-link.ts';
import {
  findAnsweringModel,
  findConversationModel,
  listChatModels,
  MODELS_PER_PAGE,
  toModelButton,
} from '../../choices/model-choice.ts';
import type { CallbackActionOf } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import {
  type ActionButton,
  type KeyboardButton,
  storeKeyboard,
  toButtonTarget,
  toLeaveButton,
  toPagedRows,
} from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import { toModelCode } from './model-code.ts';
import { texts } from './texts.ts';

/** Position in the list of models; `retry` is the failed answer to retry after the choice. */
type ModelListing = Omit<CallbackActionOf<'list-models'>, 'kind'>;

/** Returns one page of the list of models, with the current one marked. Beyond the last page, returns the last one. */
export async function toModelMenu(services: BotServices, ctx: BotContext, listing: ModelListing): Promise<View> {
  const { search, retry, back } = listing;
  const found = listChatModels(services.catalogue, search);
  const chosenHere = await findConversationModel(services, ctx);
  const current = (chosenHere ?? findAnsweringModel(services.catalogue, ctx.user)?.entry)?.id;
  const { shown, pagerRow } = toPagedRows(found, listing.page, MODELS_PER_PAGE, (page) => ({
    kind: 'list-models',
    ...listing,
    page,
  }));
  const rows = [
    ...shown.map((entry) => [
      toModelButton(entry, current, { kind: 'select-model', model: entry.id, back, ...(retry && { retry }) }),
    ]),
    pagerRow,
    toToolRow(services, ctx, listing, { current, count: found.length }),
  ];
  const text = toText(ctx, current, search, found.length);
  const entities = markParts(text, 'code', current ?? '');
  return { text, entities, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

function toText(ctx: BotContext, current: string | undefined, search: string | undefined, count: number): string {
  const words = texts[ctx.locale];
  const heading = words.heading(current);
  if (search === undefined) return heading;
  return `${heading}\n${count > 0 ? words.found(count, search) : words.noneFound(search)}`;
}

function toToolRow(
  services: BotServices,
  ctx: BotContext,
  listing: ModelListing,
  { current, count }: { readonly current: string | undefined; readonly count: number },
): KeyboardButton[] {
  const { buttons } = ctx.texts;
  const { search, retry, back } = listing;
  const all: ActionButton = {
    text: texts[ctx.locale].allModels,
    action: { kind: 'list-models', page: 0, back, ...(retry && { retry }) },
  };
  // A single page needs no search button.
  const find: ActionButton = { text: buttons.search, action: { kind: 'search-models', ...(retry && { retry }) } };
  const isList = search === undefined && retry === undefined;
  const code = isList && current !== undefined ? toModelCode(services.catalogue, current) : undefined;
  return [
    ...(search === undefined ? [] : [all]),
    ...(code === undefined
      ? []
      : [{ text: buttons.copyLink, copy_text: { text: toStartLink(services, ctx.me, 'model', code) } }]),
    ...(search !== undefined || count > MODELS_PER_PAGE ? [find] : []),
    toLeaveButton(ctx.texts, back),
  ];
}
