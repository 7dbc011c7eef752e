import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Broadcast, BroadcastTransport, SendOutcome } from '../../../core/broadcasts/index.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, type TelegramFailure } from '../../../telegram/telegram-errors.ts';
import { type KeyboardButton, storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { findLocale, type Locale, locales } from '../../texts/locales.ts';
import { texts } from './texts.ts';

/** Delay before a retry if the failure gives none. */
const TRY_AGAIN_MS = 5000;
/** Failures after which status updates are given up, as a retry can't succeed. */
const FINAL_FAILURES: ReadonlySet<TelegramFailure['kind']> = new Set([
  'not-modified',
  'message-gone',
  'blocked',
  'rejected',
]);

/**
 * Copies the broadcast message to users at the lowest priority, so other calls are not delayed. Shows the progress to
 * the admin in the message whose button started it.
 */
export function createBroadcastTransport(services: BotServices): BroadcastTransport {
  const { administration, accounts, client, logger } = services;
  let cached: { readonly key: string; readonly keyboard: InlineKeyboardMarkup | undefined } | undefined;

  /** Buttons are reused while the state stays the same: each keyboard adds a row to the database. */
  const storeKeyboard = async (broadcast: Broadcast) => {
    const key = `${broadcast.id}:${broadcast.state}`;
    if (cached?.key === key) return cached.keyboard;
    const { id } = await accounts.ensureTelegramUser(broadcast.adminTelegramId);
    const { keyboard } = await toBroadcastView(services, findLocale(broadcast.language), id, broadcast);
    cached = { key, keyboard };
    return keyboard;
  };

  const showStatus = async (broadcast: Broadcast, signal: AbortSignal) => {
    const { adminTelegramId, statusMessageId, state } = broadcast;
    const keyboard = await storeKeyboard(broadcast);
    const options = keyboard ? { reply_markup: keyboard } : {};
    const text = describeBroadcast(findLocale(broadcast.language), broadcast);
    const api = client.withPriority(state === 'sending' ? 'broadcast' : 'interactive');
    await api.editMessageText(adminTelegramId, statusMessageId, text, options, toGrammySignal(signal));
  };

  /** Sends a final message, because edits cause no notification. */
  const sendFinalMessage = async (broadcast: Broadcast, signal: AbortSignal) => {
    const { adminTelegramId, statusMessageId, counts, state } = broadcast;
    if (state === 'cancelled') return;
    const text = texts[findLocale(broadcast.language)].lastWord(counts.sent);
    const reply = { message_id: statusMessageId, allow_sending_without_reply: true };
    try {
      await client.api.sendMessage(adminTelegramId, text, { reply_parameters: reply }, toGrammySignal(signal));
    } catch (error) {
      // A duplicate would be worse than a lost message: the status shows the same.
      if (classifyTelegramError(error).kind !== 'unclear') throw error;
    }
  };

  return {
    async deliver({ id, adminTelegramId, sourceMessageId }, { userId, telegramId }, signal) {
      try {
        if (signal.aborted) return { kind: 'later', afterMs: TRY_AGAIN_MS };
        if ((await administration.admit(telegramId)) !== 'welcome') return { kind: 'left-out' };
      } catch (error) {
        logger.warn(
          { err: error, broadcastId: id },
          'the access of a broadcast recipient could not be checked; retrying',
        );
        return { kind: 'later', afterMs: TRY_AGAIN_MS };
      }
      try {
        const api = client.withPriority('broadcast');
        await api.copyMessage(telegramId, adminTelegramId, sourceMessageId, {}, toGrammySignal(signal));
        return { kind: 'sent' };
      } catch (error) {
        const failure = classifyTelegramError(error);
        logger.debug({ err: error, broadcastId: id, userId }, 'a broadcast could not be delivered to a user');
        return toOutcome(failure);
      }
    },
    async report(broadcast, signal) {
      try {
        await showStatus(broadcast, signal).catch((error: unknown) => {
          if (!FINAL_FAILURES.has(classifyTelegramError(error).kind)) throw error;
        });
        if (broadcast.hasEnded) await sendFinalMessage(broadcast, signal);
        return true;
      } catch (error) {
        const { kind } = classifyTelegramError(error);
        logger.debug({ err: error, broadcastId: broadcast.id }, 'the progress of a broadcast could not be shown');
        return FINAL_FAILURES.has(kind);
      }
    },
  };
}

function toOutcome(failure: TelegramFailure): SendOutcome {
  switch (failure.kind) {
    case 'flood':
    case 'dropped':
      return { kind: 'later', afterMs: failure.retryAfterMs };
    case 'not-sent':
    case 'unauthorized':
    case 'conflict':
      return { kind: 'later', afterMs: TRY_AGAIN_MS };
    case 'unclear':
    case 'aborted':
      return { kind: 'unclear' };
    case 'blocked':
      return { kind: 'blocked' };
    case 'message-gone':
      return { kind: 'gone' };
    case 'not-modified':
    case 'reply-target-gone':
    case 'topic-gone':
    case 'migrated':
    case 'rejected':
    case 'foreign':
      return { kind: 'failed' };
  }
}

/** Returns the progress of a broadcast as text. */
function describeBroadcast(locale: Locale, broadcast: Broadcast): string {
  const words = texts[locale];
  const { state, counts, hasEnded, intervalMs } = broadcast;
  const left = counts.waiting + counts.sending;
  const lines = [
    words.states[state],
    '',
    words.sent(counts.sent),
    ...(counts.blocked > 0 ? [words.blocked(counts.blocked)] : []),
    ...(counts.failed > 0 ? [words.failed(counts.failed)] : []),
    ...(counts.unclear > 0 ? [words.unclear(counts.unclear)] : []),
    ...(counts['left-out'] > 0 ? [words.leftOut(counts['left-out'])] : []),
  ];
  if (left === 0) return lines.join('\n');
  if (hasEnded) return [...lines, words.missed(left)].join('\n');
  return [...lines, words.left(left), ...(state === 'sending' ? [words.outlook(left * intervalMs)] : [])].join('\n');
}

/** Returns the progress of a broadcast with its buttons. */
export async function toBroadcastView(
  services: BotServices,
  locale: Locale,
  userId: number,
  broadcast: Broadcast,
): Promise<View> {
  // The status is shown in the private chat of the admin who started the broadcast.
  const target = { userId, chatId: broadcast.adminTelegramId };
  const text = describeBroadcast(locale, broadcast);
  const rows = [toButtons(locale, broadcast)];
  return rows.flat().length === 0 ? { text } : { text, keyboard: await storeKeyboard(services, target, rows) };
}

function toButtons(locale: Locale, { id: broadcastId, state }: Broadcast): KeyboardButton[] {
  const words = texts[locale];
  const kind = 'change-announcement';
  const cancel = { text: locales[locale].buttons.cancel, action: { kind, broadcastId, change: 'cancel' } } as const;
  if (state === 'sending') return [{ text: words.pause, action: { kind, broadcastId, change: 'pause' } }, cancel];
  if (state === 'paused') return [{ text: words.resume, action: { kind, broadcastId, change: 'resume' } }, cancel];
  return [];
}
