import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { InvalidInitDataError, type NewSession } from '../../core/sessions/index.ts';
import { toNetworkKey } from '../../lib/http/network.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { toTime } from '../resources/fields.ts';
import { readBody, textSchema } from '../resources/query.ts';
import { createRequestRate } from '../resources/request-rate.ts';
import { requireJsonHeaders } from '../server/bodies/json-body.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import { isFromOperator } from '../server/playground-access.ts';
import type { HttpServices } from '../services.ts';

/** Telegram's init data has a few hundred characters. */
const MAX_INIT_DATA_LENGTH = 8192;
const MAX_CODE_LENGTH = 100;
/** Maximum number of attempts of one client in a minute. */
const ATTEMPTS_PER_MINUTE = 30;

const bodySchema = z.union(
  [
    z.strictObject({ init_data: textSchema(MAX_INIT_DATA_LENGTH) }),
    z.strictObject({ code: textSchema(MAX_CODE_LENGTH) }),
    z.strictObject({ playground: z.literal(true) }),
  ],
  'must have one of the fields init_data, code and playground',
);

/** A new session. */
export interface SignedIn {
  /** Sent with every request: `Authorization: Bearer <token>`. */
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Adds `POST /api/sessions`: sign-in by the init data of a Mini App, by the code of a link from the bot, or, in the
 * playground, by the operator.
 */
export function addSignIn(server: FastifyInstance, services: HttpServices): void {
  const countAttempt = createRequestRate(services.clock, ATTEMPTS_PER_MINUTE);
  server.post(
    '/api/sessions',
    {
      async onRequest(request, reply) {
        reply.raw.setHeader('cache-control', 'no-store');
        const address = toClientAddress(request);
        services.inFlight.account.open(reply.raw, { address });
        countAttempt(toNetworkKey(address));
        requireJsonHeaders(request.headers);
      },
    },
    async (request, reply): Promise<SignedIn> => {
      const { token, session } = await signIn(services, request);
      reply.code(201);
      return { token, expires_at: toTime(session.expiresAt) };
    },
  );
}

async function signIn(services: HttpServices, request: FastifyRequest): Promise<NewSession> {
  const body = await readBody(bodySchema, request);
  const userAgent = request.headers['user-agent'] ?? '';
  if ('code' in body) {
    const session = await services.sessions.signIn(body.code, userAgent);
    if (!session) throw refusal(401, 'link_used', 'This link has been used or is too old. Send /console to the bot.');
    return session;
  }
  const isMiniApp = 'init_data' in body;
  const telegramId = isMiniApp ? readTelegramId(services, body.init_data) : readPlaygroundUser(services, request);
  if ((await services.administration.admit(telegramId)) !== 'welcome') {
    throw refusal(403, 'not_admitted', 'This Telegram account may not use the service.');
  }
  const { id } = await services.accounts.ensureTelegramUser(telegramId);
  return services.sessions.begin(id, { origin: isMiniApp ? 'mini-app' : 'playground', userAgent });
}

function readTelegramId({ checkInitData }: HttpServices, initData: string): number {
  if (!checkInitData) throw refusal(403, 'no_mini_app', 'This service has no Mini App.');
  try {
    return checkInitData(initData);
  } catch (error) {
    if (!(error instanceof InvalidInitDataError)) throw error;
    throw error.reason === 'expired'
      ? refusal(401, 'init_data_expired', 'This page was opened too long ago. Close it and open it again.')
      : refusal(401, 'init_data_invalid', 'Telegram has not signed this request for this bot.');
  }
}

function readPlaygroundUser({ playground }: HttpServices, request: FastifyRequest): number {
  if (!playground) throw refusal(403, 'no_playground', 'Only the playground signs in without Telegram.');
  if (isFromOperator(request, playground)) return playground.userId;
  const link = playground.secret === undefined ? '' : ', after the link that the service printed';
  const where = `at localhost or 127.0.0.1${link}`;
  throw refusal(403, 'no_playground', `The playground signs in only ${where}, without a proxy in between.`);
}

function refusal(status: 401 | 403, code: string, message: string): HttpError {
  return new HttpError({ status, type: 'invalid_request_error', code, message });
}
