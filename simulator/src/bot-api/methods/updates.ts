import type { Update, WebhookInfo } from '@grammyjs/types';
import { ApiError, badRequest } from '../../api-error.ts';
import { startWebhook } from '../../webhook/start-webhook.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readArray, readBoolean, readInteger, readString } from '../params.ts';

const DEFAULT_LIMIT = 100;
const LONGEST_POLL_SECONDS = 50;

function getUpdates(call: Call): Promise<readonly Update[]> {
  const { bot, params } = call;
  if (bot.webhook) {
    throw new ApiError(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  rememberAllowedUpdates(call);
  const limit = readInteger(params, 'limit') ?? DEFAULT_LIMIT;
  const timeoutSeconds = Math.min(Math.max(readInteger(params, 'timeout') ?? 0, 0), LONGEST_POLL_SECONDS);
  return bot.updates.poll(
    {
      offset: readInteger(params, 'offset') ?? 0,
      limit: limit >= 1 && limit <= DEFAULT_LIMIT ? limit : DEFAULT_LIMIT,
      timeoutMs: timeoutSeconds * 1000,
    },
    AbortSignal.any([call.signal, call.world.closing]),
  );
}

/** Stores the list until it is replaced. An empty list restores the default. */
function rememberAllowedUpdates({ bot, params }: Call): void {
  const types = readArray(params, 'allowed_updates');
  if (types) bot.updates.allowedTypes = types.length === 0 ? undefined : types.map(String);
}

function setWebhook(call: Call): true {
  const { bot, world, params } = call;
  const url = readString(params, 'url');
  if (url === undefined) return deleteWebhook(call);
  const secretToken = readString(params, 'secret_token');
  if (secretToken !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters');
  }
  checkWebhookUrl(url);
  rememberAllowedUpdates(call);
  if (readBoolean(params, 'drop_pending_updates')) bot.updates.clear();
  bot.webhook?.stop();
  startWebhook(world, bot, { url, secretToken, maxConnections: readMaxConnections(call), runMethod: call.runMethod });
  return true;
}

function readMaxConnections({ params }: Call): number {
  return Math.min(Math.max(readInteger(params, 'max_connections') ?? 40, 1), 100);
}

/** Accepts loopback addresses only, over HTTP or HTTPS. Telegram itself requires HTTPS and a public address. */
function checkWebhookUrl(url: string): void {
  const parsed = URL.parse(url);
  if (!parsed) throw badRequest('bad webhook: invalid webhook URL specified');
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(parsed.hostname);
  if (isLoopback && /^https?:$/.test(parsed.protocol)) return;
  if (parsed.protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  throw badRequest('bad webhook: this simulator delivers to loopback addresses only');
}

function deleteWebhook({ bot, params }: Call): true {
  bot.webhook?.stop();
  bot.webhook = undefined;
  if (readBoolean(params, 'drop_pending_updates')) bot.updates.clear();
  return true;
}

function getWebhookInfo({ bot }: Call): WebhookInfo {
  const { webhook, updates } = bot;
  const info: WebhookInfo = {
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.size,
  };
  if (webhook) info.max_connections = webhook.maxConnections;
  if (webhook?.lastErrorAt !== undefined) info.last_error_date = webhook.lastErrorAt;
  if (webhook?.lastErrorMessage !== undefined) info.last_error_message = webhook.lastErrorMessage;
  return updates.allowedTypes ? Object.assign(info, { allowed_updates: updates.allowedTypes }) : info;
}

/** Methods that deliver updates. */
export const updateMethods: { readonly [method: string]: MethodHandler } = {
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
};
