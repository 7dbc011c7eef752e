import type { Logger } from '../../lib/log/logger.ts';

/** Page that the chat shows. */
export interface DeliveredPage {
  /** From 0. */
  readonly index: number;
  readonly messageId: number;
}

/** Page before its first send. */
export interface SentPage {
  /** From 0. */
  readonly index: number;
  /** Newest known message id of the chat before the send. */
  readonly afterId: number;
}

/** Callbacks about the messages of a reply. They are awaited; their errors are logged. */
export interface ReplyEvents {
  /** Called before a page is sent for the first time. */
  readonly onSending?: (page: SentPage) => Promise<void>;
  /** Called when a new message of the reply is in the chat; again for a page that had to be sent again. */
  readonly onDelivered?: (page: DeliveredPage) => Promise<void> | void;
  /** Called when a message of the reply is no longer in the chat: deleted by a user, or surplus. */
  readonly onRemoved?: (messageId: number) => Promise<void> | void;
  /** Called when the group has become a supergroup with this id; the whole reply is sent there. */
  readonly onMoved?: (chatId: number) => Promise<void> | void;
}

/** Calls a callback and logs its errors. @returns undefined after an error. */
export async function callQuietly<Result>(
  logger: Logger,
  name: string,
  callback: () => Promise<Result> | Result,
): Promise<Result | undefined> {
  try {
    return await callback();
  } catch (error) {
    logger.error({ err: error }, `${name} of a reply failed`);
    return undefined;
  }
}
