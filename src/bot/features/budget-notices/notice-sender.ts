import { LRUCache } from 'lru-cache';
import { type BudgetNotice, isGroup } from '../../../core/budget-notices/index.ts';
import type { BudgetScope } from '../../../core/limits/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import { findLostPage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import { findLocale } from '../../texts/locales.ts';
import { type NoticeChat, toNoticeView } from './views.ts';

/** Sends notices about budgets. Runs in one process only. */
export type NoticeSender = ReturnType<typeof createNoticeSender>;

/** Interval of looking for notices of other processes. */
const LOOK_EVERY_MS = 5000;
/** Bounds memory. */
const MAX_WAITS = 1000;
const SWEEP_EVERY_MS = 3_600_000;
/** Share of the budget below which a notice is not worth sending any more. */
const LEAST_SHARE = 0.8;

export function createNoticeSender(services: BotServices) {
  const { budgetNotices, clock, logger } = services;
  /** Times before which nothing is sent to a chat, by chat id. */
  const waits: Waits = new LRUCache({ max: MAX_WAITS });
  let wake = () => {};
  budgetNotices.onNew(() => wake());
  let sweptAt = 0;

  const pause = async (signal: AbortSignal) => {
    const waking = new AbortController();
    wake = () => waking.abort();
    await sleep(clock, LOOK_EVERY_MS, AbortSignal.any([signal, waking.signal])).catch(() => {});
  };
  const step = async (signal: AbortSignal) => {
    for (const notice of await budgetNotices.listUnsent()) {
      if (signal.aborted) return;
      await sendNotice(services, waits, notice, signal).catch((error: unknown) =>
        logger.warn({ err: error, noticeId: notice.id }, 'a notice about a budget could not be sent; retrying'),
      );
    }
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    await budgetNotices.sweep();
  };

  return {
    /** Sends notices that any process has stored, until the signal aborts. Never throws. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        // Notices of this process that arrive during a step are found by it or by the next one.
        const pausing = pause(signal);
        await step(signal).catch((error: unknown) =>
          logger.warn({ err: error }, 'notices about budgets could not be read; retrying'),
        );
        await pausing;
      }
    },
  };
}

type Waits = LRUCache<number, number>;

/** Sends a notice to those who don't have it. What can't be sent now stays for the next time. */
async function sendNotice(
  services: BotServices,
  waits: Waits,
  notice: BudgetNotice,
  signal: AbortSignal,
): Promise<void> {
  const { budgetNotices } = services;
  const budget = await budgetNotices.readBudget(notice);
  const isTrue = budget !== undefined && budget.spentUsd >= budget.limitUsd * LEAST_SHARE;
  const chats = isTrue ? await listChats(services, notice) : [];
  let isComplete = true;
  for (const chat of chats.filter(({ chatId }) => !notice.sentTo.includes(chatId))) {
    const isWaiting = services.clock.now() < (waits.get(chat.chatId) ?? 0);
    if (!isWaiting && (await trySending(services, waits, notice, chat, signal)))
      await budgetNotices.recordSent(notice, chat.chatId);
    else isComplete = false;
  }
  if (isComplete) await budgetNotices.conclude(notice);
}

const SEND_TIMEOUT_MS = 5000;

/** Returns false if the message was not sent and a retry may succeed. */
async function trySending(
  services: BotServices,
  waits: Waits,
  notice: BudgetNotice,
  chat: NoticeChat,
  signal: AbortSignal,
): Promise<boolean> {
  const { chatId } = chat;
  const { text, entities = [], keyboard } = await toNoticeView(services, notice, chat);
  const options = { entities: [...entities], ...(keyboard && { reply_markup: keyboard }) };
  // Not the signal of the process: a message that is being sent when it stops would be sent again by the next one.
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const afterId = services.client.messageIds.newest(chatId);
  try {
    await services.client.withPriority('broadcast').sendMessage(chatId, text, options, toGrammySignal(timeout));
    waits.delete(chatId);
    return true;
  } catch (error) {
    const failure = classifyTelegramError(error);
    const { kind } = failure;
    if ('retryAfterMs' in failure) waits.set(chatId, services.clock.now() + failure.retryAfterMs);
    services.logger.debug({ err: error, noticeId: notice.id }, 'a notice about a budget could not be delivered');
    if (kind === 'blocked' && chatId > 0) await services.accounts.recordReachability(chatId, false);
    if (kind === 'unclear' || kind === 'aborted')
      return (await findLostPage(services, { chatId, afterId }, signal)) !== 'absent';
    return !isSafeToRetry(failure);
  }
}

/** Returns the chats for a notice. Users whom the bot can't write to, or who may not use the service, are left out. */
async function listChats(services: BotServices, { scope, userId }: BudgetNotice): Promise<readonly NoticeChat[]> {
  if (isGroup(scope)) return [await toGroupChat(services, scope.id, userId)];
  const telegramIds = await listRecipients(services, scope);
  const chats = await Promise.all(telegramIds.map((telegramId) => findPrivateChat(services, telegramId)));
  return chats.flatMap((chat) => chat ?? []);
}

async function listRecipients(services: BotServices, scope: BudgetScope): Promise<readonly number[]> {
  if (scope.kind === 'instance') return services.administration.adminIds;
  if (scope.kind === 'chat') return [scope.id];
  const ownerId = await services.budgetNotices.findOwner(scope);
  const owner = ownerId === undefined ? undefined : await services.accounts.findUser(ownerId);
  return owner?.telegramId === undefined ? [] : [owner.telegramId];
}

async function findPrivateChat(services: BotServices, telegramId: number): Promise<NoticeChat | undefined> {
  const user = await services.accounts.findTelegramUser(telegramId);
  if (!user?.isReachable || (await services.administration.admit(telegramId)) !== 'welcome') return undefined;
  const { language, timeZone } = user.settings;
  return { chatId: telegramId, userId: user.id, locale: findLocale(language), timeZone };
}

async function toGroupChat(services: BotServices, chatId: number, userId: number | undefined): Promise<NoticeChat> {
  const { settings } = await services.groups.find(chatId);
  const user = userId === undefined ? undefined : await services.accounts.findUser(userId);
  const locale = findLocale(settings.language, user?.settings.language);
  return { chatId, userId: user?.id, locale, timeZone: undefined };
}
