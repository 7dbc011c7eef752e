import type { announcementRecipients, announcements } from '../../database/schema/index.ts';

/** Where the sending of an announcement stands. `gone`: the message that was to be copied was deleted. */
export type AnnouncementState = (typeof announcements.$inferSelect)['state'];

/** What has become of it for one person. */
export type RecipientState = (typeof announcementRecipients.$inferSelect)['state'];

/** People by what has become of it for them. */
export type AnnouncementCounts = Readonly<Record<RecipientState, number>>;

/** A message of an admin to everybody who uses the bot. */
export interface Announcement {
  readonly id: number;
  /** Whose private chat holds the message that is copied, and the one that shows how it goes. */
  readonly adminTelegramId: number;
  readonly sourceMessageId: number;
  readonly statusMessageId: number;
  /** Of the words about how it goes: `en`. */
  readonly language: string;
  readonly state: AnnouncementState;
  /** From the beginning of one send to that of the next. */
  readonly intervalMs: number;
  /** True when nothing is left to do. */
  readonly hasEnded: boolean;
  readonly counts: AnnouncementCounts;
}

/** Somebody who is to get an announcement. */
export interface Recipient {
  readonly userId: number;
  readonly telegramId: number;
}

/** Counts of which most are 0. */
export function toCounts(counts: Readonly<Record<string, number>>): AnnouncementCounts {
  const none = { waiting: 0, sending: 0, sent: 0, blocked: 0, failed: 0, unclear: 0, 'left-out': 0 };
  return { ...none, ...counts };
}
