import type { Logger } from '../../lib/logger.ts';

/** A page that stands in the chat. */
export interface DeliveredPage {
  /** From 0. */
  readonly index: number;
  readonly messageId: number;
}

/** A page that is sent for the first time. */
export interface SentPage {
  /** From 0. */
  readonly index: number;
  /** The newest message id of the chat that was known before the send. */
  readonly afterId: number;
}

/** Callbacks on the messages of a reply. They are awaited; what they throw is logged. */
export interface ReplyEvents {
  /** A page is about to be sent for the first time. */
  readonly onSending?: (page: SentPage) => Promise<void>;
  /** A new message of the reply stands in the chat. Called again for a page that had to be sent afresh. */
  readonly onDelivered?: (page: DeliveredPage) => Promise<void> | void;
  /** A message of the reply is no longer in the chat: a user deleted it, or it was surplus. */
  readonly onRemoved?: (messageId: number) => Promise<void> | void;
  /** The group has become a supergroup with this id; the whole reply goes there. */
  readonly onMoved?: (chatId: number) => Promise<void> | void;
}

/** Calls a callback. @returns undefined where it throws, which is logged. */
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
