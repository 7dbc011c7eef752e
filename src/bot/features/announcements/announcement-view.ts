import type { Announcement } from '../../../core/announcements/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { type KeyboardButton, offerKeyboard } from '../../framework/keyboard.ts';
import type { View } from '../../framework/view.ts';
import type { Texts } from '../../texts/locales.ts';

/** How an announcement goes, in words. */
export function describeAnnouncement({ administration: { announce } }: Texts, announcement: Announcement): string {
  const { state, counts, hasEnded, intervalMs } = announcement;
  const left = counts.waiting + counts.sending;
  const lines = [
    announce.states[state],
    '',
    announce.sent(counts.sent),
    ...(counts.blocked > 0 ? [announce.blocked(counts.blocked)] : []),
    ...(counts.failed > 0 ? [announce.failed(counts.failed)] : []),
    ...(counts.unclear > 0 ? [announce.unclear(counts.unclear)] : []),
    ...(counts['left-out'] > 0 ? [announce.leftOut(counts['left-out'])] : []),
  ];
  if (left === 0) return lines.join('\n');
  if (hasEnded) return [...lines, announce.missed(left)].join('\n');
  return [...lines, announce.left(left), ...(state === 'sending' ? [announce.outlook(left * intervalMs)] : [])].join(
    '\n',
  );
}

/** The same with what can be done about it. */
export async function toAnnouncementView(
  deps: Pick<BotDeps, 'interactions'>,
  texts: Texts,
  personId: number,
  announcement: Announcement,
): Promise<View> {
  // Its status is shown in the private chat of the admin who started it.
  const target = { personId, chatId: announcement.adminTelegramId };
  const text = describeAnnouncement(texts, announcement);
  const rows = [toButtons(texts, announcement)];
  return rows.flat().length === 0 ? { text } : { text, keyboard: await offerKeyboard(deps, target, rows) };
}

function toButtons(
  { administration: { announce }, buttons }: Texts,
  { id: announcementId, state }: Announcement,
): KeyboardButton[] {
  const kind = 'change-announcement';
  const cancel = { text: buttons.cancel, choice: { kind, announcementId, change: 'cancel' } } as const;
  if (state === 'sending') return [{ text: announce.pause, choice: { kind, announcementId, change: 'pause' } }, cancel];
  if (state === 'paused')
    return [{ text: announce.resume, choice: { kind, announcementId, change: 'resume' } }, cancel];
  return [];
}
