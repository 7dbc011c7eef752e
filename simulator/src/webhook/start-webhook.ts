import type { Update } from '@grammyjs/types';
import { Agent, request } from 'undici';
import type { Call } from '../bot-api/call.ts';
import { type RequestContent, readContent } from '../bot-api/read-request.ts';
import { sleep } from '../clock.ts';
import { type Bot, unixTime, type Webhook, type World } from '../world/world.ts';

export interface WebhookSettings {
  readonly url: string;
  readonly secretToken: string | undefined;
  readonly maxConnections: number;
  readonly runMethod: Call['runMethod'];
}

/** Telegram's timeout for the response to an update. */
const ANSWER_TIMEOUT_MS = 60_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** Files in a form included. */
const MAX_ANSWER_BYTES = 51 * 1024 * 1024;

/**
 * Delivers the bot's updates by POST until stopped: in order within a chat, concurrently across chats.
 * An update is removed after a 2xx response, otherwise retried with growing delays. A response with `method`, as JSON or
 * as a form, is executed.
 */
export function startWebhook(world: World, bot: Bot, settings: WebhookSettings): void {
  const agent = new Agent({ connections: settings.maxConnections });
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, world.closing]);
  const busyQueues = new Set<string>();

  const webhook: Webhook = {
    url: settings.url,
    secretToken: settings.secretToken,
    maxConnections: settings.maxConnections,
    lastErrorAt: undefined,
    lastErrorMessage: undefined,
    stop: () => stopping.abort(new Error('the webhook was removed')),
  };

  const deliverOnce = async (update: Update): Promise<boolean> => {
    try {
      const answer = await post(agent, settings, update, signal);
      const { method, ...params } = answer.params;
      if (typeof method === 'string') await settings.runMethod(method, { ...answer, params });
      return true;
    } catch (error) {
      webhook.lastErrorAt = unixTime(world);
      webhook.lastErrorMessage = error instanceof Error ? error.message : String(error);
      return false;
    }
  };

  const deliver = async (update: Update, queue: string): Promise<void> => {
    for (let delayMs = FIRST_RETRY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS)) {
      if (await deliverOnce(update)) break;
      await sleep(world.clock, delayMs, signal).catch(() => undefined);
    }
    if (!signal.aborted) bot.updates.remove(update.update_id);
    busyQueues.delete(queue);
    pump();
  };

  const pump = (): void => {
    if (signal.aborted) return;
    for (const update of bot.updates.list()) {
      if (busyQueues.size >= settings.maxConnections) return;
      const queue = toQueueKey(update);
      if (busyQueues.has(queue)) continue;
      busyQueues.add(queue);
      void deliver(update, queue);
    }
  };

  const unsubscribe = bot.updates.subscribe(pump);
  signal.addEventListener('abort', () => {
    unsubscribe();
    void agent.destroy();
  });
  bot.webhook = webhook;
  pump();
}

/** Returns the queue key of an update: its chat, or its user outside chats. */
function toQueueKey(update: Update): string {
  const message = update.message ?? update.edited_message ?? update.channel_post ?? update.edited_channel_post;
  const chat = message?.chat ?? update.callback_query?.message?.chat ?? update.my_chat_member?.chat;
  if (chat) return `chat ${chat.id}`;
  const person = update.callback_query?.from ?? update.inline_query?.from ?? update.chosen_inline_result?.from;
  return person ? `person ${person.id}` : `update ${update.update_id}`;
}

/** @throws an Error with Telegram's wording if the status is not 2xx. */
async function post(
  agent: Agent,
  settings: WebhookSettings,
  update: Update,
  signal: AbortSignal,
): Promise<RequestContent> {
  const answer = await request(settings.url, {
    method: 'POST',
    dispatcher: agent,
    signal,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    headers: {
      'content-type': 'application/json',
      ...(settings.secretToken === undefined ? {} : { 'x-telegram-bot-api-secret-token': settings.secretToken }),
    },
    body: JSON.stringify(update),
  });
  const body = await readBounded(answer.body);
  if (answer.statusCode < 200 || answer.statusCode > 299) {
    throw new Error(`Wrong response from the webhook: ${answer.statusCode}`);
  }
  return readAnswer(String(answer.headers['content-type'] ?? ''), body);
}

/** Returns the method and its parameters in an answer; nothing if it is none, such as `OK`. */
function readAnswer(contentType: string, body: Buffer): RequestContent {
  const nothing = { params: {}, uploads: new Map() };
  try {
    const isForm = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i.test(contentType);
    return readContent(isForm ? contentType : 'application/json', body);
  } catch {
    return nothing;
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error('Wrong response from the webhook: the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
