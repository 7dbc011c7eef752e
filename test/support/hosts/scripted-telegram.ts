import type { InlineKeyboardMarkup, MessageEntity } from '@grammyjs/types';
import type { Clock } from '../../../src/lib/clock.ts';
import type { HttpFetch } from '../../../src/telegram/telegram-client.ts';

/** Request as received by the server. */
export interface ScriptedCall {
  readonly method: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Time of arrival. */
  readonly at: number;
  /** Number of calls before it. */
  readonly index: number;
}

/**
 * Outcome of a call. `lost-request`: the connection breaks before it is executed; `lost-answer`: after; `hang`: no
 * response and no execution; `late`: no response, and executed `afterMs` later; `refused`: connection refused.
 */
export type Fate =
  | 'normal'
  | 'lost-request'
  | 'lost-answer'
  | 'hang'
  | 'refused'
  | { readonly late: number }
  | {
      readonly status: number;
      readonly description?: string;
      readonly retryAfter?: number;
      readonly isExecuted?: boolean;
    };

export interface ShownMessage {
  readonly messageId: number;
  /** Empty for a rich message. */
  readonly text: string;
  /** Blocks of a rich message. */
  readonly rich?: unknown;
  readonly entities: readonly MessageEntity[];
  readonly keyboard: InlineKeyboardMarkup | undefined;
  readonly isSilent: boolean;
  readonly replyTo: number | undefined;
}

/** Telegram on the test's clock: stores messages, and lets the test decide the outcome of every call. */
export interface ScriptedTelegram {
  /** Replaces the network. */
  readonly fetch: HttpFetch;
  readonly calls: readonly ScriptedCall[];
  /** Sets the outcome of calls, replacing an earlier function. Default all normal. */
  decide(fateOf: (call: ScriptedCall) => Fate): void;
  /** Returns the messages in a chat, oldest first. */
  transcript(chatId: number): readonly ShownMessage[];
  deleteMessage(chatId: number, messageId: number): void;
  block(chatId: number): void;
  /** Queues an update for `getUpdates`. */
  queueUpdate(update: { update_id: number }): void;
  webhookUrl: string;
}

interface Answer {
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: { retry_after?: number };
}

export function createScriptedTelegram(deps: {
  readonly clock: Clock;
  /** Time from request to response. Default 20. */
  readonly latencyMs?: number;
}): ScriptedTelegram {
  const { clock, latencyMs = 20 } = deps;
  const calls: ScriptedCall[] = [];
  const chats = new Map<number, Map<number, ShownMessage>>();
  const blocked = new Set<number>();
  let updates: { update_id: number }[] = [];
  let nextMessageId = 100;
  let fateOf: (call: ScriptedCall) => Fate = () => 'normal';
  const onUpdate = new Set<() => void>();

  const messagesOf = (chatId: unknown) => {
    const messages = chats.get(Number(chatId)) ?? new Map<number, ShownMessage>();
    chats.set(Number(chatId), messages);
    return messages;
  };

  const showMessage = (messageId: number, payload: ScriptedCall['payload'], sent?: ShownMessage): ShownMessage => ({
    messageId,
    text: String(payload['text'] ?? ''),
    ...('rich_message' in payload ? { rich: (payload['rich_message'] as { blocks?: unknown }).blocks } : {}),
    entities: (payload['entities'] as MessageEntity[] | undefined) ?? [],
    keyboard: payload['reply_markup'] as InlineKeyboardMarkup | undefined,
    isSilent: sent?.isSilent ?? payload['disable_notification'] === true,
    replyTo: sent?.replyTo ?? (payload['reply_parameters'] as { message_id: number } | undefined)?.message_id,
  });

  const execute = ({ method, payload }: ScriptedCall): Answer => {
    const chatId = Number(payload['chat_id']);
    const messageId = Number(payload['message_id']);
    if (blocked.has(chatId)) return refusal(403, 'Forbidden: bot was blocked by the user');
    const text = String(payload['text'] ?? '');
    if ('text' in payload && text.trim() === '') return refusal(400, 'Bad Request: message text is empty');
    if (text.length > 4096) return refusal(400, 'Bad Request: message is too long');
    const messages = messagesOf(chatId);
    switch (method) {
      case 'sendRichMessage':
      case 'sendMessage': {
        const id = nextMessageId++;
        messages.set(id, showMessage(id, payload));
        return { ok: true, result: { message_id: id, date: 0, chat: { id: chatId, type: 'private' } } };
      }
      case 'editMessageText': {
        const present = messages.get(messageId);
        if (!present) return refusal(400, 'Bad Request: message to edit not found');
        const edited = showMessage(messageId, payload, present);
        if (JSON.stringify(edited) === JSON.stringify(present)) {
          return refusal(400, 'Bad Request: message is not modified: specified new message content is the same');
        }
        messages.set(messageId, edited);
        return { ok: true, result: true };
      }
      case 'deleteMessage':
        return messages.delete(messageId)
          ? { ok: true, result: true }
          : refusal(400, 'Bad Request: message to delete not found');
      case 'getWebhookInfo':
        return { ok: true, result: { url: telegram.webhookUrl } };
      case 'deleteWebhook':
        telegram.webhookUrl = '';
        return { ok: true, result: true };
      default:
        return { ok: true, result: true };
    }
  };

  const poll = async (call: ScriptedCall, signal: AbortSignal | undefined): Promise<Answer> => {
    if (telegram.webhookUrl) return refusal(409, "Conflict: can't use getUpdates method while webhook is active");
    const offset = Number(call.payload['offset'] ?? 0);
    updates = updates.filter((update) => update.update_id >= offset);
    const timeoutMs = Number(call.payload['timeout'] ?? 0) * 1000;
    if (updates.length === 0 && timeoutMs > 0) {
      await delay(clock, timeoutMs, signal, (wake) => {
        onUpdate.add(wake);
        return () => onUpdate.delete(wake);
      });
    }
    return { ok: true, result: updates.slice(0, Number(call.payload['limit'] ?? 100)) };
  };

  const answer = async (url: string, body: string, signal: AbortSignal | undefined): Promise<Answer> => {
    const method = url.slice(url.lastIndexOf('/') + 1);
    const call = { method, payload: JSON.parse(body), at: clock.now(), index: calls.length };
    calls.push(call);
    const fate = fateOf(call);
    if (fate === 'refused') throw networkError(url, 'connect ECONNREFUSED 127.0.0.1:443', 'ECONNREFUSED');
    await delay(clock, latencyMs, signal);
    if (fate === 'lost-request') throw networkError(url, 'read ECONNRESET', 'ECONNRESET');
    if (fate === 'hang') return never(signal);
    if (typeof fate === 'object' && 'late' in fate) {
      clock.setTimer(fate.late, () => void execute(call));
      return never(signal);
    }
    if (typeof fate === 'object') {
      if (fate.isExecuted) execute(call);
      const parameters = fate.retryAfter === undefined ? {} : { parameters: { retry_after: fate.retryAfter } };
      return { ...refusal(fate.status, fate.description ?? 'scripted failure'), ...parameters };
    }
    const result = method === 'getUpdates' ? await poll(call, signal) : execute(call);
    if (fate === 'lost-answer') throw networkError(url, 'read ECONNRESET', 'ECONNRESET');
    return result;
  };

  const fetch: HttpFetch = async (url, init) => {
    if (typeof init.body !== 'string') throw new TypeError('the scripted Telegram takes no files');
    const result = await answer(url, init.body, init.signal);
    return { json: async () => structuredClone(result) };
  };

  const telegram: ScriptedTelegram = {
    fetch,
    calls,
    decide: (decision) => {
      fateOf = decision;
    },
    transcript: (chatId) => [...messagesOf(chatId).values()],
    deleteMessage: (chatId, messageId) => void messagesOf(chatId).delete(messageId),
    block: (chatId) => void blocked.add(chatId),
    queueUpdate: (update) => {
      updates.push(update);
      for (const wake of onUpdate) wake();
    },
    webhookUrl: '',
  };
  return telegram;
}

function refusal(code: number, description: string): Answer {
  return { ok: false, error_code: code, description };
}

function networkError(url: string, reason: string, code: string): Error {
  return Object.assign(new Error(`request to ${url} failed, reason: ${reason}`), { name: 'FetchError', code });
}

function abortError(): Error {
  return Object.assign(new Error('The user aborted a request.'), { name: 'AbortError' });
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(abortError());
    signal?.addEventListener('abort', () => reject(abortError()));
  });
}

function delay(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
  listen?: (wake: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError());
    const finish = (settle: () => void) => () => {
      cancel();
      stopListening?.();
      settle();
    };
    const cancel = clock.setTimer(delayMs, finish(resolve));
    const stopListening = listen?.(finish(resolve));
    signal?.addEventListener(
      'abort',
      finish(() => reject(abortError())),
    );
  });
}
