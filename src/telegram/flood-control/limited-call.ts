import type { CallPriority } from './call-priority.ts';

/** A call that Telegram's rate limits apply to. */
export interface LimitedCall {
  readonly method: string;
  readonly priority: CallPriority;
  /** Messages that the call sends, as Telegram counts them: one for each item of an album, 1 for all other calls. */
  readonly messageCount: number;
  /** Sequence number that orders calls of the same priority. */
  readonly sequence: number;
  readonly expiresAt: number;
  readonly signal: AbortSignal | undefined;
}

/** The per-chat limit that a call counts against. */
export interface ChatLimit {
  readonly kind: 'privateChat' | 'group' | 'drafts';
  readonly key: string;
}

const LIMITED_METHOD = /^(send|edit|copy|forward|delete|stopPoll|stopMessage|pin|unpin)/;
const DRAFT_METHOD = /^send(Rich)?MessageDraft$/;

/**
 * Returns the limit that a call counts against, undefined for a method without limits. Ids of users are positive, those
 * of groups and channels negative.
 */
export function findChatLimit(method: string, payload: object): ChatLimit | undefined {
  if (!LIMITED_METHOD.test(method)) return undefined;
  const { chat_id: chatId, inline_message_id: inlineMessageId } = payload as {
    chat_id?: number | string;
    inline_message_id?: string;
  };
  if (chatId === undefined) {
    return inlineMessageId === undefined ? undefined : { kind: 'privateChat', key: `inline:${inlineMessageId}` };
  }
  if (DRAFT_METHOD.test(method)) return { kind: 'drafts', key: `drafts:${chatId}` };
  return { kind: Number(chatId) > 0 ? 'privateChat' : 'group', key: `chat:${chatId}` };
}

export function countMessages(payload: object): number {
  const { media } = payload as { media?: unknown };
  return Array.isArray(media) ? Math.max(1, media.length) : 1;
}
