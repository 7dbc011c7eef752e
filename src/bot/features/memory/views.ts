import { MAX_MEMORIES, type Memory, searchMemories } from '../../../core/memory/index.ts';
import { formatMoment } from '../../../texts/moment.ts';
import { findTimeZone } from '../../choices/time-zones.ts';
import type { CallbackAction, CallbackActionOf } from '../../kit/actions.ts';
import { findMessageLink, toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import {
  type ActionButton,
  type KeyboardButton,
  type Origin,
  storeKeyboard,
  toButtonTarget,
  toLeaveButton,
  toPagedRows,
} from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { isMemoryOn, mayChange, mayManage } from './memory-access.ts';
import { texts } from './texts.ts';

/** As many buttons with numbers fit in a row on a phone, and as many lines of full length in a message. */
const MEMORIES_PER_PAGE = 6;

/** Page of the list, its search, and the menu that it was opened from. */
export type MemoryListing = Omit<CallbackActionOf<'list-memories'>, 'kind'>;

/** Returns one page of the memories of the chat, newest first. Beyond the last page, returns the last one. */
export async function toMemoryMenu(
  services: BotServices,
  ctx: BotContext,
  listing: MemoryListing,
  /** Sentence above the list. */
  news?: string,
): Promise<View> {
  const { search, back } = listing;
  const all = (await services.memories.list(toOwner(ctx))).toReversed();
  const found = search === undefined ? all : searchMemories(all, search);
  const { page, shown, pagerRow } = toPagedRows(found, listing.page, MEMORIES_PER_PAGE, (to) => ({
    kind: 'list-memories',
    page: to,
    search,
    back,
  }));
  const first = page * MEMORIES_PER_PAGE + 1;
  const numberRow = shown.map(
    ({ id: memoryId }, index): ActionButton => ({
      text: `${first + index}`,
      action: { kind: 'show-memory', memoryId, page, search, back },
    }),
  );
  const isOn = isMemoryOn(ctx);
  const text = [
    ...(news === undefined ? [] : [news, '']),
    toHeading(ctx, search, found.length),
    ...(shown.length > 0 ? ['', ...shown.map((memory, index) => `${first + index}. ${memory.text}`)] : []),
    '',
    toExplanation(ctx, isOn),
  ].join('\n');
  const rows = [
    numberRow,
    pagerRow,
    toToolRow(ctx, { search, back, isOn, count: all.length }),
    (await mayManage(ctx)) ? toManageRow(ctx, { back, isOn, count: all.length }) : [],
    [toLeave(ctx, back)],
  ];
  return { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Returns a button that opens the list. */
export function toListKeyboard(services: BotServices, ctx: BotContext) {
  const list: ActionButton = { text: `🧠 ${ctx.texts.buttons.memory}`, action: { kind: 'list-memories', page: 0 } };
  return storeKeyboard(services, toButtonTarget(ctx), [[list]]);
}

function toHeading(ctx: BotContext, search: string | undefined, count: number): string {
  const words = texts[ctx.locale];
  if (search !== undefined) return count > 0 ? words.found(count, search) : words.noneFound(search);
  return count > 0 ? words.heading(count, MAX_MEMORIES) : words.empty;
}

function toExplanation(ctx: BotContext, isOn: boolean): string {
  const words = texts[ctx.locale];
  if (ctx.group) return isOn ? words.groupOn : words.groupOff;
  return isOn ? words.on : words.off;
}

interface MenuState {
  readonly back: Origin;
  readonly isOn: boolean;
  /** Number of all memories. */
  readonly count: number;
}

function toToolRow(
  ctx: BotContext,
  { search, back, isOn, count }: MenuState & Pick<MemoryListing, 'search'>,
): readonly ActionButton[] {
  const { buttons } = texts[ctx.locale];
  const all: ActionButton = { text: buttons.all, action: { kind: 'list-memories', page: 0, back } };
  const find: ActionButton = { text: ctx.texts.buttons.search, action: { kind: 'search-memories' } };
  const add: ActionButton = { text: buttons.add, action: { kind: 'add-memory' } };
  return [...(search === undefined ? [] : [all]), ...(count > 0 ? [find] : []), ...(isOn ? [add] : [])];
}

function toManageRow(ctx: BotContext, { back, isOn, count }: MenuState): readonly ActionButton[] {
  const { buttons } = texts[ctx.locale];
  const deletion: ActionButton = { text: buttons.deleteAll, action: { kind: 'delete-memories', back } };
  return [
    { text: isOn ? buttons.turnOff : buttons.turnOn, action: { kind: 'switch-memory', isOn: !isOn, back } },
    ...(count > 0 ? [deletion] : []),
  ];
}

/** Returns *Back* to the settings of the user or the group, or *Close*. */
function toLeave(ctx: BotContext, back: Origin): ActionButton {
  const settings: CallbackAction = { kind: 'show-group-settings' };
  return ctx.group && back === 'settings'
    ? { text: ctx.texts.buttons.back, action: settings }
    : toLeaveButton(ctx.texts, back);
}

/** Returns a memory with its origin, and the actions that the user may take. */
export async function toMemoryView(
  services: BotServices,
  ctx: BotContext,
  memory: Memory,
  { page, search, back }: MemoryListing,
  /** Sentence below the memory. */
  news?: string,
): Promise<View> {
  const words = texts[ctx.locale];
  const { id: memoryId, authorId, updatedAt } = memory;
  const moment = formatMoment(
    ctx.locale,
    updatedAt.getTime(),
    findTimeZone(ctx.user.settings, ctx.from?.language_code).timeZone,
  );
  const isOwn = !ctx.group || authorId === ctx.user.id;
  const facts = isOwn ? words.fromYou(moment) : words.fromMember(moment);
  const origin = memory.hasForeignText ? [words.fromForeignText] : [];
  const text = [memory.text, '', facts, ...origin, ...(news === undefined ? [] : ['', news])].join('\n');
  const changes: readonly KeyboardButton[] = [
    { text: words.buttons.edit, action: { kind: 'edit-memory', memoryId } },
    { text: words.buttons.delete, action: { kind: 'delete-memory', memoryId, page, search, back } },
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    toSourceButtons(ctx, memory),
    (await mayChange(ctx, memory)) ? changes : [],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-memories', page, search, back } }],
  ]);
  return { text, keyboard };
}

/**
 * Returns the button that leads to the message of a memory. Telegram has links to messages of supergroups only; in
 * private chats the bot replies to the message instead. Messages of basic groups can't be reached once the group has
 * become a supergroup.
 */
function toSourceButtons(ctx: BotContext, { id: memoryId, source }: Memory): readonly KeyboardButton[] {
  const text = texts[ctx.locale].buttons.source;
  if (!source || source.chatId !== ctx.chatId) return [];
  const url = findMessageLink(source.chatId, source.telegramMessageId);
  if (url !== undefined) return [{ text, url }];
  return [{ text, action: { kind: 'show-memory-source', memoryId } }];
}
