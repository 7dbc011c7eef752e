import { type FileApiFlavor, hydrateFiles } from '@grammyjs/files';
import { Api, type ApiClientOptions, HttpError, InputFile, type Transformer } from 'grammy';
import type { ReplyParameters } from 'grammy/types';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json/json.ts';
import { type Logger, redactSecrets } from '../lib/log/logger.ts';
import { noObserver, type Observer } from '../lib/log/observer.ts';
import { CALL_PRIORITIES, type CallPriority, isPassing } from './flood-control/call-priority.ts';
import { FloodControl, type FloodControlOptions } from './flood-control/flood-control.ts';
import { toGrammySignal } from './grammy-signal.ts';
import { LostSearches } from './lost-sends/lost-searches.ts';
import { createMessageIds, type MessageIds } from './lost-sends/message-ids.ts';
import { RequestTimeoutError } from './telegram-errors.ts';

export interface TelegramClientDeps {
  readonly token: string;
  /** Without a trailing slash. Default: Telegram's hosted Bot API. */
  readonly apiRoot?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives a `telegram call` span for each call, without its waiting time. Default: none. */
  readonly observer?: Observer | undefined;
}

/** The part of `fetch` that the client needs: a POST request and its JSON response. */
export type HttpFetch = (
  url: string,
  init: { readonly method?: string; readonly body?: unknown; readonly signal?: AbortSignal },
) => Promise<{ json(): Promise<unknown> }>;

export interface TelegramClientOptions {
  /** Timeout of a call. Default 30 s. */
  readonly timeoutMs?: number;
  /** Timeout of a low-priority edit, draft or chat action, because a final edit may be waiting for it. Default 8 s. */
  readonly previewTimeoutMs?: number;
  /** Timeout of a call with a file. Default 5 minutes. */
  readonly uploadTimeoutMs?: number;
  /** Makes the HTTP requests. Default grammY's. */
  readonly fetch?: HttpFetch;
  /** Called when flood control lets a call start. If it throws, the call is not made, and its error is thrown. */
  readonly beforeCall?: () => Promise<void> | undefined;
  /** Rates and bounds of the flood control. `off`: the caller limits its rate itself and handles every 429. */
  readonly flood?: FloodControlOptions | 'off';
}

/**
 * Bot API client of one token. All API objects of a client share one flood control. Errors are grammY's `GrammyError`
 * (Telegram rejected the call) and `HttpError` (no usable response), or `DroppedCallError` and `RequestTimeoutError`;
 * `classifyTelegramError` tells them apart. None of them contains the token.
 */
export type TelegramClient = ReturnType<typeof createTelegramClient>;

const MAX_REQUEST_SECONDS = 600;
const POLL_SLACK_MS = 15_000;

/** Creates a client, which the caller must close. Makes no call yet. */
export function createTelegramClient(deps: TelegramClientDeps, options: TelegramClientOptions = {}) {
  const isPaced = options.flood !== 'off';
  /** Ids of confirmed sends. Ids of updates are recorded by the update handler. */
  const messageIds = createMessageIds();
  const lostSearches = new LostSearches(deps.clock);
  /** Limits of the token, shared with other processes. */
  const floodControl = new FloodControl(deps, options.flood === 'off' ? {} : options.flood);
  const apiOptions: ApiClientOptions = {
    ...(deps.apiRoot === undefined ? {} : { apiRoot: deps.apiRoot }),
    ...(options.fetch ? { fetch: options.fetch } : {}),
    timeoutSeconds: MAX_REQUEST_SECONDS,
    sensitiveLogs: false,
  };
  /**
   * For a grammY `Bot` that shares the flood control: pass `apiOptions` as its `client`, and these transformers to
   * `bot.api.config.use`.
   */
  const transformers = (priority: CallPriority): Transformer[] => [
    // grammY runs the transformer installed last first: the timeout starts when flood control lets the call start.
    createRequestGuard(deps, priority, options),
    createMessageNoter(messageIds),
    observeCalls(deps.observer ?? noObserver, { isPaced }),
    ...(isPaced ? [floodControl.transformer(priority)] : []),
    sendWithoutRefusedReply,
  ];
  const apis = new Map<CallPriority, Api>();
  for (const priority of CALL_PRIORITIES) {
    const api = new Api(deps.token, apiOptions);
    api.config.use(...transformers(priority));
    apis.set(priority, api);
  }
  const withPriority = (priority: CallPriority): Api => {
    const api = apis.get(priority);
    if (!api) throw new TypeError(`no such priority: ${priority}`);
    return api;
  };
  /** Like `api`, but `getFile` returns files with `getUrl()`, whose URL contains the token. */
  const files = new Api(deps.token, apiOptions) as FileApiFlavor<Api>;
  files.config.use(...transformers('interactive'), hydrateFiles(deps.token, apiOptions));
  return {
    /** For calls that a user waits for: the same as `withPriority('interactive')`. */
    api: withPriority('interactive'),
    files,
    withPriority,
    transformers,
    apiOptions,
    messageIds,
    lostSearches,
    tokenLimits: floodControl,
    /** Number of waiting calls and of chats whose state is in memory. */
    get load() {
      return floodControl.load;
    },
    /** Rejects every waiting call. Calls in flight end by themselves within their timeouts. */
    close: (): void => floodControl.close(),
  };
}

/**
 * Retries without the reply where Telegram's servers refuse it. `allow_sending_without_reply` covers only the Bot API
 * server's own lookup, which may still know deleted messages.
 */
const sendWithoutRefusedReply: Transformer = async (prev, method, payload, signal) => {
  const response = await prev(method, payload, signal);
  if (response.ok || !response.description.includes('REPLY_MESSAGE_ID_INVALID')) return response;
  const { reply_parameters: reply, ...rest } = payload as { reply_parameters?: ReplyParameters };
  return reply?.allow_sending_without_reply ? prev(method, rest as typeof payload, signal) : response;
};

/** Records the ids of messages in the responses. */
function createMessageNoter(messageIds: MessageIds): Transformer {
  return async (prev, method, payload, signal) => {
    const response = await prev(method, payload, signal);
    if (response.ok)
      for (const [chatId, messageId] of listMessages(response.result)) messageIds.record(chatId, messageId);
    return response;
  };
}

function listMessages(result: unknown): [chatId: number, messageId: number][] {
  if (Array.isArray(result)) return result.flatMap(listMessages);
  if (!isJsonObject(result) || !isJsonObject(result['chat'])) return [];
  const [chatId, messageId] = [result['chat']['id'], result['message_id']];
  return typeof chatId === 'number' && typeof messageId === 'number' ? [[chatId, messageId]] : [];
}

/** Calls `beforeCall`, enforces timeouts, and removes the token (part of every URL) from network errors. */
function createRequestGuard(
  deps: TelegramClientDeps,
  priority: CallPriority,
  options: TelegramClientOptions,
): Transformer {
  return async (prev, method, payload, signal) => {
    await options.beforeCall?.();
    const timeoutMs = requestTimeoutMs(method, payload, priority, options);
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    if (signal?.aborted) controller.abort();
    signal?.addEventListener('abort', onAbort);
    let isTimedOut = false;
    const cancelTimer = deps.clock.setTimer(timeoutMs, () => {
      isTimedOut = true;
      controller.abort();
    });
    try {
      return await prev(method, payload, toGrammySignal(controller.signal));
    } catch (error) {
      if (isTimedOut) throw new RequestTimeoutError(method, timeoutMs);
      throw withoutToken(error, deps.token);
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    }
  };
}

function requestTimeoutMs(
  method: string,
  payload: object,
  priority: CallPriority,
  options: TelegramClientOptions,
): number {
  const timeoutMs = options.timeoutMs ?? 30_000;
  if (method === 'getUpdates') {
    return ('timeout' in payload ? Number(payload.timeout) * 1000 : 0) + POLL_SLACK_MS;
  }
  if (carriesFile(payload)) return options.uploadTimeoutMs ?? 5 * 60_000;
  // The first send of a preview keeps the long timeout: unlike an edit it can't be repeated when its outcome is
  // unclear.
  const isRepeatable = method.startsWith('edit') || method === 'sendChatAction' || method.endsWith('Draft');
  return isPassing(priority) && isRepeatable ? Math.min(timeoutMs, options.previewTimeoutMs ?? 8000) : timeoutMs;
}

function carriesFile(value: unknown, depth = 0): boolean {
  if (value instanceof InputFile) return true;
  if (typeof value !== 'object' || value === null || depth > 3) return false;
  return Object.values(value).some((part) => carriesFile(part, depth + 1));
}

function withoutToken(error: unknown, token: string): unknown {
  if (!(error instanceof HttpError)) return error;
  const { error: inner } = error;
  const safe = new Error(redactSecrets(inner instanceof Error ? inner.message : String(inner), [token]));
  if (inner instanceof Error) {
    safe.name = inner.name;
    if ('code' in inner) Object.assign(safe, { code: inner.code });
  }
  return new HttpError(error.message, safe);
}

/**
 * Reports each call to the observer as a `telegram call` span with its `method`, the `status` (200 or Telegram's error
 * code) and the kind of bot: `chat` for rate-limited chat calls, `storage` for bots that store files. An error response
 * from Telegram does not make the span fail.
 */
function observeCalls(observer: Observer, { isPaced }: { readonly isPaced: boolean }): Transformer {
  const bot = isPaced ? 'chat' : 'storage';
  return async (prev, method, payload, signal) => {
    const span = observer.begin('telegram call', { method, bot });
    try {
      const response = await span.run(() => prev(method, payload, signal));
      span.record({ status: response.ok ? 200 : response.error_code });
      span.end();
      return response;
    } catch (error) {
      span.end(error);
      throw error;
    }
  };
}
