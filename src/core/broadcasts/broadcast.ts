import type { broadcastRecipients, broadcasts } from '../../database/schema/index.ts';

/** State of a broadcast. `gone`: the message to copy was deleted. */
export type BroadcastState = (typeof broadcasts.$inferSelect)['state'];

/** Outcome of a broadcast for one recipient. */
export type RecipientState = (typeof broadcastRecipients.$inferSelect)['state'];

/** Numbers of recipients by outcome. */
export type BroadcastCounts = Readonly<Record<RecipientState, number>>;

/** A broadcast: a message of an admin to all users of the bot. */
export interface Broadcast {
  readonly id: number;
  /** Telegram id of the admin, whose private chat contains the message to copy and the status message. */
  readonly adminTelegramId: number;
  readonly sourceMessageId: number;
  readonly statusMessageId: number;
  /** Language of the status message, e.g. `en`. */
  readonly language: string;
  readonly state: BroadcastState;
  /** Interval between the starts of two sends. */
  readonly intervalMs: number;
  /** True when there is nothing left to send. */
  readonly hasEnded: boolean;
  readonly counts: BroadcastCounts;
}

/** A recipient of a broadcast. */
export interface Recipient {
  readonly userId: number;
  readonly telegramId: number;
}

/** Fills missing counts with 0. */
export function toCounts(counts: Readonly<Record<string, number>>): BroadcastCounts {
  const none = { waiting: 0, sending: 0, sent: 0, blocked: 0, failed: 0, unclear: 0, 'left-out': 0 };
  return { ...none, ...counts };
}
