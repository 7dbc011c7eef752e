import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Claim, MAX_PART_BYTES } from '../../../core/idempotency/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { errorSchema } from '../../error-response.ts';
import { getHold } from '../../holds.ts';
import { describeResponse } from '../../openapi.ts';
import { getRecord } from '../../request-log.ts';
import type { HttpServices } from '../../services.ts';
import { isMessagesUrl } from '../base-address.ts';
import { messagesErrorSchema } from '../messages/messages-error.ts';
import { getRequestContext } from '../request-context.ts';
import { type CapturedAnswer, captureAnswer } from './capture-answer.ts';
import { hashBody, hashKey, VISIBLE_ASCII } from './hash-request.ts';
import { sendKeptAnswer } from './send-kept-answer.ts';

const HEADER = 'idempotency-key';
/** Time for which the end of a failure waits until its key is free. */
const FREEING_TIMEOUT_MS = 2000;

/**
 * Answers `POST` requests with an idempotency key once, on all routes of the context: stores their complete answers,
 * and sends them to later requests with the same key and body.
 */
export function installIdempotency(server: FastifyInstance, services: HttpServices): void {
  server.addHook('onRoute', (route) => {
    if (route.method === 'POST') route.schema = { ...route.schema, ...describeKey(route) };
  });
  server.addHook('preHandler', (request, reply, done) => {
    if (request.headers[HEADER] === undefined || request.method !== 'POST') return done();
    beginOrReplay(request, reply, services).then((claim) => {
      if (!claim) return;
      captureAnswer(reply.raw, getHold(request), (answer) =>
        endClaim(claim, answer, { request, clock: services.clock }),
      );
      done();
    }, done);
  });
}

/** Returns the claim of a request that must be handled, undefined if it got the answer to an earlier one. */
async function beginOrReplay(
  request: FastifyRequest,
  reply: FastifyReply,
  { idempotency, clock }: HttpServices,
): Promise<Claim | undefined> {
  const { requester, signal } = getRequestContext(request);
  const keyHash = hashKey(request, requester, request.headers[HEADER]);
  const bodyHash = await hashBody(request);
  const begun = await idempotency.begin({ userId: requester.userId, keyHash, bodyHash }, signal);
  if (begun.kind === 'claimed') return begun.claim;
  getRecord(request).markReplayed();
  getHold(request).expect(MAX_PART_BYTES);
  await sendKeptAnswer(reply, begun.answer, begun.body, clock);
  return undefined;
}

/**
 * Stores the end of a request.
 * @returns for a failure, a promise of the moment when its key is free, so that a retry does not get the failure again.
 */
function endClaim(
  claim: Claim,
  answer: CapturedAnswer | undefined,
  { request, clock }: { readonly request: FastifyRequest; readonly clock: Clock },
): Promise<void> | undefined {
  if (!answer) {
    void claim.release();
    return undefined;
  }
  const isComplete = answer.status < 400 && !getRecord(request).isIncomplete;
  const stored = (isComplete ? claim.complete(answer) : claim.fail(answer)).finally(() => answer.discard());
  return isComplete ? undefined : waitAtMost(FREEING_TIMEOUT_MS, stored, clock);
}

function waitAtMost(timeoutMs: number, promise: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(timeoutMs, resolve);
    void promise.then(() => {
      cancel();
      resolve();
    });
  });
}

const HEADERS_SCHEMA = z.object({
  [HEADER]: z
    .string()
    .regex(VISIBLE_ASCII)
    .optional()
    .describe('A unique text. A repeated request with the same key and body gets the same answer for 24 hours.'),
});

/** Returns what the key adds to the documentation of a route. */
function describeKey({ url, schema }: { readonly url: string; readonly schema?: { readonly response?: unknown } }) {
  const conflict = describeResponse(
    'The `Idempotency-Key` belongs to a request with another body: `idempotency_conflict`.',
    isMessagesUrl(url) ? messagesErrorSchema : errorSchema,
  );
  return { headers: HEADERS_SCHEMA, response: { ...(schema?.response as object), 409: conflict } };
}
