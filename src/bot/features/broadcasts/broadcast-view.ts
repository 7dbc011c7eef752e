import type { Broadcast } from '../../../core/broadcasts/index.ts';
import { type KeyboardButton, storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { type Locale, locales } from '../../texts/locales.ts';
import { texts } from './texts.ts';

/** Returns the progress of a broadcast as text. */
export function describeBroadcast(locale: Locale, broadcast: Broadcast): string {
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
