import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from '@grammyjs/types';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { isJsonObject } from '../lib/json.ts';
import type { Logger } from '../lib/logger.ts';

/** Where Telegram brings updates by HTTP. */
export interface Webhook {
  /** The route `POST /webhook`, to be mounted under a prefix. */
  readonly plugin: FastifyPluginAsync;
  /**
   * Sets who takes the updates; until then Telegram is asked to come again.
   * @param accept takes an update into safe keeping; false where there is no room. Never waits for the handling.
   */
  receiveWith(accept: (update: Update) => Promise<boolean>): void;
}

/** Far more than any update: 4096 characters of text, with everything around them. */
const MAX_UPDATE_BYTES = 1024 * 1024;
const RETRY_AFTER_S = 5;

/**
 * Takes updates as https://core.telegram.org/bots/api#setwebhook says. Without the secret nothing of a body is read. An answer
 * of 200 means that the update is kept; after any other Telegram brings it again, later each time.
 */
export function createWebhook(deps: { readonly logger: Logger }, options: { readonly secret: string }): Webhook {
  const secretHash = toHash(options.secret);
  let accept: ((update: Update) => Promise<boolean>) | undefined;
  let isFullReported = false;

  const take = async (update: Update, reply: FastifyReply) => {
    const isTaken = (await accept?.(update)) ?? false;
    if (accept && !isTaken && !isFullReported)
      deps.logger.warn('too many updates wait already; Telegram keeps the others meanwhile');
    isFullReported = accept !== undefined && !isTaken;
    if (isTaken) return reply.code(200).send();
    reply.header('retry-after', String(RETRY_AFTER_S));
    return refuse(reply, 503, 'unavailable', 'Too many updates wait already.');
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
          const given = request.headers['x-telegram-bot-api-secret-token'];
          if (typeof given === 'string' && timingSafeEqual(toHash(given), secretHash)) return;
          return refuse(reply, 401, 'invalid_secret_token', 'This address is for Telegram.');
        },
        handler: (request, reply) =>
          isUpdate(request.body)
            ? take(request.body, reply)
            : refuse(reply, 400, 'invalid_request_error', 'This is no update.'),
      });
    },
  };
}

/** Hashes have one length, so that comparing them takes one time. */
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
