import { GrammyError, HttpError } from 'grammy';
import { hasNeverConnected } from '../lib/http/http-client.ts';
import { DroppedCallError } from './flood-control/dropped-call-error.ts';

/** Thrown when a request gets no response in time. Telegram may have executed it. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';

  constructor(method: string, timeoutMs: number) {
    super(`${method} got no answer within ${timeoutMs} ms`);
  }
}

/** Classified failure of a call. */
export type TelegramFailure =
  /** Too many calls; not executed. */
  | { readonly kind: 'flood'; readonly retryAfterMs: number }
  /** Dropped by our own flood control; not executed. */
  | { readonly kind: 'dropped'; readonly reason: DroppedCallError['reason']; readonly retryAfterMs: number }
  /** The message already has this content; equivalent to success. */
  | { readonly kind: 'not-modified' }
  /** The message to edit, delete or copy is no longer accessible. It may still be visible if `mayRemain`. */
  | { readonly kind: 'message-gone'; readonly mayRemain: boolean }
  /** The message to reply to is gone. */
  | { readonly kind: 'reply-target-gone' }
  /** The topic was deleted or closed. */
  | { readonly kind: 'topic-gone' }
  /** The bot can't write there: blocked, kicked, muted, or no such chat. */
  | { readonly kind: 'blocked' }
  /** The group became a supergroup under another id. */
  | { readonly kind: 'migrated'; readonly toChatId: number }
  /** The token is wrong or revoked. */
  | { readonly kind: 'unauthorized' }
  /** Another instance polls, or a webhook is set. */
  | { readonly kind: 'conflict' }
  /** Aborted by the caller's signal; it may have been executed. */
  | { readonly kind: 'aborted' }
  /** No response or a server error; it may have been executed. */
  | { readonly kind: 'unclear' }
  /** Telegram was not reached; not executed. */
  | { readonly kind: 'not-sent' }
  /** Refused for another reason; the same call will be refused again. */
  | { readonly kind: 'rejected'; readonly code: number; readonly description: string }
  /** Not a failed call, but an internal error. */
  | { readonly kind: 'foreign' };

const DEFAULT_RETRY_AFTER_S = 3;

// Messages of the official server (tdlib/telegram-bot-api, `Client.cpp`) and of Telegram's servers (upper case); there
// are no finer codes.
const NOT_MODIFIED = /message is not modified/i;
const MESSAGE_NOT_FOUND =
  /message to (edit|delete|copy) not found|\bMESSAGE_ID_INVALID|message identifier is not specified/i;
const MESSAGE_FIXED = /message can't be (edited|deleted)/i;
const REPLY_TARGET_GONE = /(message to be replied|replied message|reply message) not found|REPLY_MESSAGE_ID_INVALID/i;
const TOPIC_GONE = /message thread not found|TOPIC_(DELETED|CLOSED|ID_INVALID)/i;
const CANNOT_WRITE =
  /chat not found|PEER_ID_INVALID|not enough rights to send|have no rights to send|CHAT_(WRITE|SEND_\w+)_FORBIDDEN|CHAT_RESTRICTED|USER_IS_BLOCKED|group chat was deactivated/i;
// A malformed token yields a URL that the server answers with 404, although these methods always exist.
const ALWAYS_KNOWN_METHODS = new Set(['getMe', 'getUpdates', 'getWebhookInfo', 'deleteWebhook', 'setWebhook']);
const NEVER_CONNECTED_TEXT = /reason: (connect|getaddrinfo|self.signed|unable to (verify|get))/i;

/** Classifies an error thrown by a Telegram call. Unknown server responses are `rejected`, unknown errors `foreign`. */
export function classifyTelegramError(error: unknown): TelegramFailure {
  if (error instanceof DroppedCallError) {
    return { kind: 'dropped', reason: error.reason, retryAfterMs: error.retryAfterMs };
  }
  if (error instanceof RequestTimeoutError) return { kind: 'unclear' };
  if (error instanceof GrammyError) return classifyAnswer(error);
  if (error instanceof HttpError) return classifyNetworkError(error.error);
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return { kind: 'aborted' };
  return { kind: 'foreign' };
}

const NOT_EXECUTED: ReadonlySet<TelegramFailure['kind']> = new Set([
  'flood',
  'dropped',
  'not-sent',
  'unauthorized',
  'conflict',
]);

/** Returns whether the call was not executed and may succeed later. */
export function isSafeToRetry({ kind }: TelegramFailure): boolean {
  return NOT_EXECUTED.has(kind);
}

const PASSING: ReadonlySet<TelegramFailure['kind']> = new Set(['unclear', 'not-sent', 'dropped', 'flood']);

/** Returns whether the failure says nothing about the call itself: it may succeed later. Perhaps it was executed. */
export function isPassing({ kind }: TelegramFailure): boolean {
  return PASSING.has(kind);
}

function classifyAnswer(error: GrammyError): TelegramFailure {
  const { error_code: code, description, parameters } = error;
  if (code === 429) return { kind: 'flood', retryAfterMs: (parameters.retry_after ?? DEFAULT_RETRY_AFTER_S) * 1000 };
  if (parameters.migrate_to_chat_id !== undefined) return { kind: 'migrated', toChatId: parameters.migrate_to_chat_id };
  if (code === 401 || (code === 404 && ALWAYS_KNOWN_METHODS.has(error.method))) return { kind: 'unauthorized' };
  if (code === 409) return { kind: 'conflict' };
  if (code === 403) return { kind: 'blocked' };
  if (code >= 500) return { kind: 'unclear' };
  if (NOT_MODIFIED.test(description)) return { kind: 'not-modified' };
  if (MESSAGE_FIXED.test(description)) return { kind: 'message-gone', mayRemain: true };
  if (MESSAGE_NOT_FOUND.test(description)) return { kind: 'message-gone', mayRemain: false };
  if (REPLY_TARGET_GONE.test(description)) return { kind: 'reply-target-gone' };
  if (TOPIC_GONE.test(description)) return { kind: 'topic-gone' };
  if (CANNOT_WRITE.test(description)) return { kind: 'blocked' };
  return { kind: 'rejected', code, description };
}

function classifyNetworkError(error: unknown): TelegramFailure {
  if (!(error instanceof Error)) return { kind: 'unclear' };
  if (error.name === 'AbortError') return { kind: 'aborted' };
  const neverConnected = hasNeverConnected(error) || NEVER_CONNECTED_TEXT.test(error.message);
  return { kind: neverConnected ? 'not-sent' : 'unclear' };
}
