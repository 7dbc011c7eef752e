import type { Announcement } from '../../../core/announcements/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { type KeyboardButton, offerKeyboard } from '../../framework/keyboard.ts';
import type { View } from '../../framework/view.ts';
import { type Locale, locales } from '../../texts/locales.ts';
import { texts } from './texts/index.ts';

/** Returns the progress of a broadcast as text. */
export function describeAnnouncement(locale: Locale, announcement: Announcement): string {
  const words = texts[locale];
  const { state, counts, hasEnded, intervalMs } = announcement;
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
export async function toAnnouncementView(
  deps: Pick<BotDeps, 'interactions'>,
  locale: Locale,
  userId: number,
  announcement: Announcement,
): Promise<View> {
  // The status is shown in the private chat of the admin who started the broadcast.
  const target = { userId, chatId: announcement.adminTelegramId };
  const text = describeAnnouncement(locale, announcement);
  const rows = [toButtons(locale, announcement)];
  return rows.flat().length === 0 ? { text } : { text, keyboard: await offerKeyboard(deps, target, rows) };
}

function toButtons(locale: Locale, { id: announcementId, state }: Announcement): KeyboardButton[] {
  const words = texts[locale];
  const kind = 'change-announcement';
  const cancel = { text: locales[locale].buttons.cancel, choice: { kind, announcementId, change: 'cancel' } } as const;
  if (state === 'sending') return [{ text: words.pause, choice: { kind, announcementId, change: 'pause' } }, cancel];
  if (state === 'paused') return [{ text: words.resume, choice: { kind, announcementId, change: 'resume' } }, cancel];
  return [];
}
