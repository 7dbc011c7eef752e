import { LRUCache } from 'lru-cache';
import type { AccessNotice, AccessRequest } from '../../../core/administration/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import { findLostPage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { findLocale } from '../../texts/locales.ts';
import { texts } from './texts.ts';
import { readRequests, toFingerprint, toRequestsView } from './views.ts';

/** Shows requests for access to the admins, and tells accounts that were allowed. Runs in one process only. */
export type RequestSender = ReturnType<typeof createRequestSender>;

/** Interval of looking for requests and decisions of other processes. */
const LOOK_EVERY_MS = 5000;
/** Minimum interval of new messages to an admin. */
const MESSAGE_INTERVAL_MS = 60_000;
/** Age of a message after which the requests come in a new one. */
const MESSAGE_AGE_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SEND_TIMEOUT_MS = 5000;
/** Accounts that are told in one step. */
const MAX_TOLD = 20;
/** Bounds memory. */
const MAX_CHATS = 1000;
/** Minimum interval of edits of a message, and of attempts to send one. */
const CALL_INTERVAL_MS = 3000;

export function createRequestSender(services: BotServices) {
  const { accessRequests, administration, clock, groupAccess, invitations, logger } = services;
  const pace = createPace(services);
  let wake = () => {};
  let sweptAt = Number.NEGATIVE_INFINITY;

  const pause = async (signal: AbortSignal) => {
    const waking = new AbortController();
    wake = () => waking.abort();
    await sleep(clock, LOOK_EVERY_MS, AbortSignal.any([signal, waking.signal])).catch(() => {});
  };
  const sweep = async () => {
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    await accessRequests.sweep();
    await groupAccess.sweep();
    await invitations.sweep();
  };
  const step = async (signal: AbortSignal) => {
    for (const request of await accessRequests.listToTell(MAX_TOLD))
      if (!signal.aborted) await tell(services, pace, request, signal);
    const notices = await accessRequests.listNotices();
    const open = await accessRequests.listOpen();
    for (const adminTelegramId of open.length > 0 || notices.length > 0 ? administration.adminIds : []) {
      if (signal.aborted) return;
      const notice = notices.find((one) => one.adminTelegramId === adminTelegramId);
      await showToAdmin(services, pace, { adminTelegramId, notice, open }, signal).catch((error: unknown) =>
        logger.warn({ err: error }, 'requests for access could not be shown to an admin; retrying'),
      );
    }
  };

  return {
    /** Shows new requests and decisions of this process at once. */
    wake: () => wake(),
    /** Shows requests that any process has stored, until the signal aborts. Never throws. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        // Requests of this process that arrive during a step are found by it or by the next one.
        const pausing = pause(signal);
        // Also of a service that is not private any more.
        await sweep()
          .then(() => (administration.isPrivate ? step(signal) : undefined))
          .catch((error: unknown) => logger.warn({ err: error }, 'requests for access could not be read; retrying'));
        await pausing;
      }
    },
  };
}

/** Tells an account that it has access. */
async function tell(services: BotServices, pace: Pace, request: AccessRequest, signal: AbortSignal): Promise<void> {
  const { telegramId: chatId, language } = request;
  const text = texts[findLocale(language)].welcome;
  // Since the decision an admin may have removed or banned the account.
  if ((await services.administration.admit(chatId)) !== 'welcome') return services.accessRequests.recordTold(chatId);
  if (!pace.mayCall(chatId)) return;
  if (request.tellingAfterId !== undefined) {
    // The last process may have told it before it was killed.
    const finding = await findLostPage(services, { chatId, afterId: request.tellingAfterId }, signal);
    if (finding === 'later' || signal.aborted) return;
    if (finding !== 'absent') return services.accessRequests.recordTold(chatId);
  }
  await services.accessRequests.recordTelling(chatId, services.client.messageIds.newest(chatId));
  const messageId = await send(services, pace, { chatId, view: { text } }, signal);
  await (messageId === undefined
    ? services.accessRequests.recordTelling(chatId, null)
    : services.accessRequests.recordTold(chatId));
}

interface AdminNotice {
  readonly adminTelegramId: number;
  readonly notice: AccessNotice | undefined;
  readonly open: readonly AccessRequest[];
}

/**
 * Edits the admin's message, or sends one if there is none, it is old, or nothing was open any more. Then its row is
 * deleted, so that the next request comes in a new message, which notifies.
 */
async function showToAdmin(
  services: BotServices,
  pace: Pace,
  { adminTelegramId, notice, open }: AdminNotice,
  signal: AbortSignal,
): Promise<void> {
  const { accessRequests, clock } = services;
  const admin = await services.accounts.findTelegramUser(adminTelegramId);
  if (!admin?.isReachable) return;
  const current = notice && clock.now() - notice.sentAt.getTime() < MESSAGE_AGE_MS ? notice : undefined;
  const sentAt = new Date(clock.now());
  const locale = findLocale(admin.settings.language);
  const state = await readRequests(services, current?.sentAt ?? sentAt, open);
  const content = toFingerprint(state, locale);
  if (current?.content === content || !pace.mayCall(adminTelegramId)) return;
  const shown = await toRequestsView(services, state, {
    ...{ locale, adminTelegramId, telegramId: current?.shownTelegramId ?? undefined },
  });
  const { shownTelegramId } = shown;
  const toMessage = async (): Promise<View> => ({
    text: shown.text,
    keyboard: await storeKeyboard(services, { chatId: adminTelegramId, userId: admin.id }, shown.rows),
  });
  if (current && (await edit(services, current, await toMessage()))) {
    if (shown.hasOpen) await accessRequests.writeNotice({ ...current, shownTelegramId, content });
    else await accessRequests.removeNotice(adminTelegramId);
    return;
  }
  if (!shown.hasOpen) return notice && accessRequests.removeNotice(adminTelegramId);
  if (!pace.mayNotify(adminTelegramId)) return;
  const messageId = await send(services, pace, { chatId: adminTelegramId, view: await toMessage() }, signal);
  if (messageId === undefined) return;
  await accessRequests.writeNotice({ adminTelegramId, messageId, shownTelegramId, content, sentAt });
  if (notice) await services.client.api.deleteMessage(adminTelegramId, notice.messageId).catch(() => {});
}

/** @returns false if the message can't be edited any more. @throws other errors of Telegram. */
async function edit(
  { accounts, client }: BotServices,
  { adminTelegramId, messageId }: AccessNotice,
  { text, keyboard }: View,
) {
  const options = { link_preview_options: { is_disabled: true }, ...(keyboard && { reply_markup: keyboard }) };
  try {
    await client.withPriority('broadcast').editMessageText(adminTelegramId, messageId, text, options);
    return true;
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return true;
    if (kind === 'message-gone' || kind === 'rejected') return false;
    if (kind === 'blocked') await accounts.recordReachability(adminTelegramId, false);
    throw error;
  }
}

/** Id of a message that was sent, as far as known, but whose id is not. */
const UNKNOWN_ID = 0;

/** Returns the id of the message; undefined if it was not sent and a retry may succeed. */
async function send(
  services: BotServices,
  pace: Pace,
  { chatId, view: { text, keyboard } }: { readonly chatId: number; readonly view: View },
  signal: AbortSignal,
): Promise<number | undefined> {
  const options = { link_preview_options: { is_disabled: true }, ...(keyboard && { reply_markup: keyboard }) };
  // Not the signal of the process: a message that is being sent when it stops would be sent again by the next one.
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const afterId = services.client.messageIds.newest(chatId);
  try {
    const api = services.client.withPriority('broadcast');
    return (await api.sendMessage(chatId, text, options, toGrammySignal(timeout))).message_id;
  } catch (error) {
    const failure = classifyTelegramError(error);
    if ('retryAfterMs' in failure) pace.wait(chatId, failure.retryAfterMs);
    services.logger.debug({ err: error }, 'a message about access could not be delivered');
    if (failure.kind === 'blocked') await services.accounts.recordReachability(chatId, false);
    if (failure.kind === 'unclear' || failure.kind === 'aborted')
      return (await findLostPage(services, { chatId, afterId }, signal)) === 'absent' ? undefined : UNKNOWN_ID;
    return isSafeToRetry(failure) ? undefined : UNKNOWN_ID;
  }
}

type Pace = ReturnType<typeof createPace>;

/** Bounds the calls to each chat, so that thousands of requests don't flood an admin. */
function createPace({ clock }: BotServices) {
  const calls = new LRUCache<number, number>({ max: MAX_CHATS });
  const messages = new LRUCache<number, number>({ max: MAX_CHATS });
  const isDue = (times: LRUCache<number, number>, chatId: number, intervalMs: number) => {
    if (clock.now() < (times.get(chatId) ?? Number.NEGATIVE_INFINITY)) return false;
    times.set(chatId, clock.now() + intervalMs);
    return true;
  };
  return {
    mayCall: (chatId: number) => isDue(calls, chatId, CALL_INTERVAL_MS),
    mayNotify: (chatId: number) => isDue(messages, chatId, MESSAGE_INTERVAL_MS),
    /** Allows nothing for a time, then also a message. */
    wait(chatId: number, durationMs: number): void {
      calls.set(chatId, clock.now() + durationMs);
      messages.delete(chatId);
    },
  };
}
