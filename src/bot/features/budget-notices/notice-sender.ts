import { LRUCache } from 'lru-cache';
import { type BudgetNotice, isGroup } from '../../../core/budget-notices/index.ts';
import type { BudgetScope } from '../../../core/limits/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { findLostPage } from '../../sending/find-lost-page.ts';
import { findLocale } from '../../texts/locales.ts';
import { type NoticeChat, toNoticeView } from './notice-view.ts';
import type { BudgetNoticeServices } from './services.ts';

/** Sends notices about budgets. Runs in one process only. */
export interface NoticeSender {
  /** Sends notices that any process has stored, until the signal aborts. Never throws. */
  run(signal: AbortSignal): Promise<void>;
}

type NoticeSenderDeps = BudgetNoticeServices & Pick<BotDeps, 'arrivals' | 'client' | 'clock' | 'conversations'>;

/** Interval of looking for notices of other processes. */
const LOOK_EVERY_MS = 5000;
const SEND_TIMEOUT_MS = 5000;
/** Bounds memory. */
const MAX_WAITS = 1000;
const SWEEP_EVERY_MS = 3_600_000;
/** Share of the budget below which a notice is not worth sending any more. */
const LEAST_SHARE = 0.8;

export function createNoticeSender(deps: NoticeSenderDeps): NoticeSender {
  const { budgetNotices, clock, logger } = deps;
  /** Times before which nothing is sent to a chat, by chat id. */
  const waits: Waits = new LRUCache({ max: MAX_WAITS });
  let ring = () => {};
  budgetNotices.onNew(() => ring());
  let sweptAt = 0;

  const pause = async (signal: AbortSignal) => {
    const bell = new AbortController();
    ring = () => bell.abort();
    await sleep(clock, LOOK_EVERY_MS, AbortSignal.any([signal, bell.signal])).catch(() => {});
  };
  const step = async (signal: AbortSignal) => {
    for (const notice of await budgetNotices.listUnsent()) {
      if (signal.aborted) return;
      await sendNotice({ ...deps, waits }, notice, signal).catch((error: unknown) =>
        logger.warn({ err: error, noticeId: notice.id }, 'a notice about a budget could not be sent; retrying'),
      );
    }
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    await budgetNotices.sweep();
  };

  return {
    async run(signal) {
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
type SendingDeps = NoticeSenderDeps & { readonly waits: Waits };

/** Sends a notice to those who don't have it. What can't be sent now stays for the next time. */
async function sendNotice(deps: SendingDeps, notice: BudgetNotice, signal: AbortSignal): Promise<void> {
  const { budgetNotices } = deps;
  const budget = await budgetNotices.readBudget(notice);
  const isTrue = budget !== undefined && budget.spentUsd >= budget.limitUsd * LEAST_SHARE;
  const chats = isTrue ? await listChats(deps, notice) : [];
  let isComplete = true;
  for (const chat of chats.filter(({ chatId }) => !notice.sentTo.includes(chatId))) {
    const isWaiting = deps.clock.now() < (deps.waits.get(chat.chatId) ?? 0);
    if (!isWaiting && (await trySending(deps, notice, chat, signal)))
      await budgetNotices.recordSent(notice, chat.chatId);
    else isComplete = false;
  }
  if (isComplete) await budgetNotices.conclude(notice);
}

/** Returns false if the message was not sent and a retry may succeed. */
async function trySending(
  deps: SendingDeps,
  notice: BudgetNotice,
  chat: NoticeChat,
  signal: AbortSignal,
): Promise<boolean> {
  const { chatId } = chat;
  const { text, entities = [], keyboard } = await toNoticeView(deps, notice, chat);
  const options = { entities: [...entities], ...(keyboard && { reply_markup: keyboard }) };
  // Not the signal of the process: a message that is being sent when it stops would be sent again by the next one.
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const afterId = deps.client.messageIds.newest(chatId);
  try {
    await deps.client.withPriority('broadcast').sendMessage(chatId, text, options, toGrammySignal(timeout));
    deps.waits.delete(chatId);
    return true;
  } catch (error) {
    const failure = classifyTelegramError(error);
    const { kind } = failure;
    if ('retryAfterMs' in failure) deps.waits.set(chatId, deps.clock.now() + failure.retryAfterMs);
    deps.logger.debug({ err: error, noticeId: notice.id }, 'a notice about a budget could not be delivered');
    if (kind === 'blocked' && chatId > 0) await deps.accounts.recordReachability(chatId, false);
    if (kind === 'unclear' || kind === 'aborted')
      return (await findLostPage(deps, { chatId, afterId }, signal)) !== 'absent';
    return !isSafeToRetry(failure);
  }
}

/** Returns the chats for a notice. Users whom the bot can't write to, or who may not use the service, are left out. */
async function listChats(deps: NoticeSenderDeps, { scope, userId }: BudgetNotice): Promise<readonly NoticeChat[]> {
  if (isGroup(scope)) return [await toGroupChat(deps, scope.id, userId)];
  const telegramIds = await listRecipients(deps, scope);
  const chats = await Promise.all(telegramIds.map((telegramId) => findPrivateChat(deps, telegramId)));
  return chats.flatMap((chat) => chat ?? []);
}

async function listRecipients(deps: NoticeSenderDeps, scope: BudgetScope): Promise<readonly number[]> {
  if (scope.kind === 'instance') return deps.administration.adminIds;
  if (scope.kind === 'chat') return [scope.id];
  const ownerId = await deps.budgetNotices.findOwner(scope);
  const owner = ownerId === undefined ? undefined : await deps.accounts.findUser(ownerId);
  return owner?.telegramId === undefined ? [] : [owner.telegramId];
}

async function findPrivateChat(deps: NoticeSenderDeps, telegramId: number): Promise<NoticeChat | undefined> {
  const user = await deps.accounts.findTelegramUser(telegramId);
  if (!user?.isReachable || (await deps.administration.admit(telegramId)) !== 'welcome') return undefined;
  const { language, timeZone } = user.settings;
  return { chatId: telegramId, userId: user.id, locale: findLocale(language), timeZone };
}

async function toGroupChat(deps: NoticeSenderDeps, chatId: number, userId: number | undefined): Promise<NoticeChat> {
  const { settings } = await deps.groups.find(chatId);
  const user = userId === undefined ? undefined : await deps.accounts.findUser(userId);
  const locale = findLocale(settings.language, user?.settings.language);
  return { chatId, userId: user?.id, locale, timeZone: undefined };
}
