import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import { z } from 'zod';
import type { ButtonTarget } from '../../core/interactions/index.ts';
import { sleep } from '../../lib/clock.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { Texts } from '../texts/locales.ts';
import type { CallbackAction } from './actions.ts';
import type { BotContext } from './context.ts';
import type { BotServices } from './services.ts';

/** Button with a callback action. */
export interface ActionButton {
  readonly text: string;
  readonly action: CallbackAction;
}

/** Button with a callback action, or one that the user's app handles. */
export type KeyboardButton =
  | ActionButton
  | InlineKeyboardButton.CopyTextButtonButton
  | InlineKeyboardButton.SwitchInlineButton
  | InlineKeyboardButton.UrlButton
  | InlineKeyboardButton.WebAppButton;

/**
 * Returns an inline keyboard for one user in one chat; `middleware/callback-query.ts` decides which other users may press
 * it. Telegram gets opaque tokens; the actions are stored in the database.
 * @param ttlMs lifetime of the buttons.
 */
export async function storeKeyboard(
  services: BotServices,
  target: ButtonTarget,
  rows: readonly (readonly KeyboardButton[])[],
  ttlMs?: number,
): Promise<InlineKeyboardMarkup> {
  const offered = rows.flat().flatMap((button) => ('action' in button ? [button.action] : []));
  const tokens = await services.interactions.storeActions(target, offered, ttlMs);
  let next = 0;
  return {
    inline_keyboard: rows
      .filter((row) => row.length > 0)
      .map((row) =>
        row.map((button) => ('action' in button ? { text: button.text, callback_data: tokens[next++] ?? '' } : button)),
      ),
  };
}

/** Returns the target of buttons in a message that answers an update: its user and its chat. */
export function toButtonTarget({
  user,
  chatId,
}: {
  readonly user: Pick<BotContext['user'], 'id'>;
  readonly chatId: number | undefined;
}): ButtonTarget {
  return { userId: user.id, chatId };
}

/** Returns rows of two buttons. */
export function toPairs<Button>(buttons: readonly Button[]): Button[][] {
  return Array.from({ length: Math.ceil(buttons.length / 2) }, (_, row) => buttons.slice(row * 2, row * 2 + 2));
}

/** One page of a list, and a row of buttons for the other pages. */
interface PagedRows<Item> {
  /** From 0; the last page if the wanted one does not exist. */
  readonly page: number;
  readonly shown: readonly Item[];
  /** Empty if there is only one page. */
  readonly pagerRow: readonly ActionButton[];
}

/** Returns one page of a list. @param toAction returns the action that shows a page. */
export function toPagedRows<Item>(
  items: readonly Item[],
  wantedPage: number,
  perPage: number,
  toAction: (page: number) => CallbackAction,
): PagedRows<Item> {
  const pageCount = Math.max(1, Math.ceil(items.length / perPage));
  const page = Math.min(Math.max(0, wantedPage), pageCount - 1);
  const shown = items.slice(page * perPage, (page + 1) * perPage);
  return { page, shown, pagerRow: toPagerRow(page, pageCount, toAction) };
}

/**
 * Loads one page of a list that is too long to be loaded as a whole: the last one if the wanted one does not exist.
 * @param toAction returns the action that shows a page.
 */
export async function loadPagedRows<List extends { readonly totalCount: number }>(
  wantedPage: number,
  perPage: number,
  load: (range: { readonly offset: number; readonly limit: number }) => Promise<List>,
  toAction: (page: number) => CallbackAction,
): Promise<List & Omit<PagedRows<never>, 'shown'>> {
  const loadAt = async (page: number) => ({ page, ...(await load({ offset: page * perPage, limit: perPage })) });
  const wanted = await loadAt(Math.max(0, wantedPage));
  const pageCount = Math.max(1, Math.ceil(wanted.totalCount / perPage));
  const list = wanted.page < pageCount ? wanted : await loadAt(pageCount - 1);
  return { ...list, pagerRow: toPagerRow(list.page, pageCount, toAction) };
}

/** Returns the row of buttons for other pages; empty if there is only one page. */
function toPagerRow(
  page: number,
  pageCount: number,
  toAction: (page: number) => CallbackAction,
): readonly ActionButton[] {
  if (pageCount <= 1) return [];
  return [
    // Wraps around, so that the buttons keep their positions.
    { text: '«', action: toAction((page - 1 + pageCount) % pageCount) },
    { text: `${page + 1}/${pageCount}`, action: { kind: 'show-page-number' } },
    { text: '»', action: toAction((page + 1) % pageCount) },
  ];
}

/** Fields of a menu's action: the message that *Back* leads to; without it the menu has *Close*. */
export const origin = { back: z.enum(['settings', 'welcome']).optional() };
export type Origin = z.infer<typeof origin.back>;

/** Returns *Back* to the menu's origin; *Close* if a command opened it. */
export function toLeaveButton({ buttons }: Texts, back: Origin): ActionButton {
  if (back === undefined) return { text: buttons.close, action: { kind: 'close-menu' } };
  return { text: buttons.back, action: { kind: back === 'settings' ? 'show-settings' : 'show-welcome' } };
}

/** Replaces the buttons below a message at interactive priority. Never throws. */
export async function changeButtons(
  services: BotServices,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await services.client.api.editMessageReplyMarkup(chatId, messageId, { reply_markup: keyboard });
  } catch (error) {
    services.logger.debug({ err: error, chatId }, 'buttons could not be changed');
  }
}

/** Deferred changes of buttons below existing messages; all other calls have priority. */
export type KeyboardChanges = ReturnType<typeof createKeyboardChanges>;

/** Maximum number of attempts; then the buttons stay as they are. */
const MAX_TRIES = 20;
const LONGEST_PAUSE_MS = 10_000;
const SHORTEST_PAUSE_MS = 250;
const MAX_CHANGES = 1000;

export function createKeyboardChanges(services: BotServices) {
  const pendingChanges = new Map<string, () => Promise<unknown>>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  /** @returns the delay before another attempt; undefined if there should be none. */
  const tryOnce = async (change: () => Promise<unknown>): Promise<number | undefined> => {
    try {
      await change();
      return undefined;
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'dropped' && failure.reason !== 'closed') return failure.retryAfterMs;
      if (failure.kind !== 'not-modified')
        services.logger.debug({ err: error }, 'buttons below a message could not be changed');
      return undefined;
    }
  };

  const run = async (key: string) => {
    let change = pendingChanges.get(key);
    for (let tries = 1; change && tries <= MAX_TRIES && !closing.signal.aborted; tries++) {
      const pauseMs = await tryOnce(change);
      if (pauseMs === undefined && pendingChanges.get(key) === change) break;
      const delayMs = Math.min(Math.max(pauseMs ?? 0, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
      await sleep(services.clock, delayMs, closing.signal).catch(() => {});
      change = pendingChanges.get(key);
    }
    pendingChanges.delete(key);
  };

  return {
    /**
     * Schedules a change for when the rate limit allows; returns at once. Of several changes with the same key the newest
     * counts.
     * @param change makes calls that are dropped rather than delayed, and is repeated after a drop.
     */
    make(key: string, change: () => Promise<unknown>): void {
      const isRunning = pendingChanges.has(key);
      if (closing.signal.aborted || (!isRunning && pendingChanges.size >= MAX_CHANGES)) return;
      pendingChanges.set(key, change);
      if (isRunning) return;
      const end = run(key).finally(() => running.delete(end));
      running.add(end);
    },
    /** Discards pending changes. Resolves when no call is in flight. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(running);
    },
  };
}
