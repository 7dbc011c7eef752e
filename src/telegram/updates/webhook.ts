import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from '@grammyjs/types';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { isJsonObject } from '../../lib/json/json.ts';
import type { Logger } from '../../lib/log/logger.ts';

/** HTTP endpoint for updates from Telegram. */
export interface Webhook {
  /** Fastify plugin with the route `POST /webhook`. */
  readonly plugin: FastifyPluginAsync;
  /**
   * Sets the handler of updates. Until then the endpoint responds 503, so Telegram retries.
   * @param accept stores an update durably; returns false if there is no room. Must not wait for its handling.
   */
  receiveWith(accept: (update: Update) => Promise<boolean>): void;
}

/** Far above the size of any update: a message has at most 4096 characters of text. */
const MAX_UPDATE_BYTES = 1024 * 1024;
const RETRY_AFTER_S = 5;

/**
 * Creates the endpoint described at https://core.telegram.org/bots/api#setwebhook. Requests without the secret are
 * rejected before their body is read. A 200 means that the update is stored; after any other status Telegram retries
 * with growing delays.
 */
export function createWebhook(deps: { readonly logger: Logger }, { secret }: { readonly secret: string }): Webhook {
  const secretHash = toHash(secret);
  let accept: ((update: Update) => Promise<boolean>) | undefined;
  let isFullReported = false;

  const take = async (update: Update, reply: FastifyReply) => {
    const isTaken = (await accept?.(update)) ?? false;
    if (accept && !isTaken && !isFullReported)
      deps.logger.warn('too many updates are waiting; refusing updates of the webhook for now');
    isFullReported = accept !== undefined && !isTaken;
    if (isTaken) return reply.code(200).send();
    reply.header('retry-after', String(RETRY_AFTER_S));
    return refuse(reply, 503, 'unavailable', 'Too many updates are already waiting.');
  };

  return {
    receiveWith(taker) {
      accept = taker;
    },
    async plugin(scope) {
      scope.route({
        method: 'POST',
        url: '/webhook',
        bodyLimit: MAX_UPDATE_BYTES,
        onRequest: async (request, reply) => {
          const secretToken = request.headers['x-telegram-bot-api-secret-token'];
          if (typeof secretToken === 'string' && timingSafeEqual(toHash(secretToken), secretHash)) return;
          return refuse(reply, 401, 'invalid_secret_token', 'This address is for Telegram.');
        },
        handler: (request, reply) =>
          isUpdate(request.body)
            ? take(request.body, reply)
            : refuse(reply, 400, 'invalid_request_error', 'This is not an update.'),
      });
    },
  };
}

/** Hashes a secret, because the constant-time comparison needs inputs of equal length. */
function toHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function isUpdate(body: unknown): body is Update {
  return isJsonObject(body) && Number.isSafeInteger(body['update_id']) && Number(body['update_id']) >= 0;
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  const type = status === 503 ? 'server_error' : 'invalid_request_error';
  return reply.code(status).send({ error: { message, type, param: null, code } });
}
