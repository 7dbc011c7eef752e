import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Requester } from '../../../core/generation/index.ts';
import { type AnswerHead, type Claim, MAX_PART_BYTES } from '../../../core/idempotency/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { hashBytes } from '../../../lib/hash-bytes.ts';
import { messagesErrorSchema } from '../../../protocols/anthropic-messages/answer/error-body.ts';
import type { Form } from '../../../protocols/fields/form-fields.ts';
import { errorSchema, invalidRequest } from '../../../protocols/http-error.ts';
import { isMessagesUrl } from '../../server/base-address.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { awaitDrain } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { type CapturedAnswer, captureAnswer } from './capture-answer.ts';
import { findForm } from './forms.ts';
import { getRequestContext } from './request-context.ts';

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
  await sendStoredAnswer(reply, begun.answer, begun.body, clock);
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

const VISIBLE_ASCII = /^[!-~]{1,255}$/;

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

/**
 * Sends the stored answer to an earlier request, as fast as the client reads.
 * @throws the error of `body`. If it occurs after the first part, the connection is closed.
 */
export async function sendStoredAnswer(
  reply: FastifyReply,
  { status, headers, sizeBytes }: AnswerHead,
  body: AsyncIterable<Buffer>,
  clock: Clock,
): Promise<void> {
  const response = reply.raw;
  const begin = () => reply.hijack().raw.writeHead(status, { ...headers, 'idempotent-replayed': 'true' });
  let sentBytes = 0;
  try {
    for await (const part of body) {
      if (response.destroyed) return;
      if (sentBytes === 0) begin();
      sentBytes += part.length;
      if (!response.write(part)) await awaitDrain(response, clock);
    }
    if (sentBytes === 0) begin();
    // The user's data may have been deleted meanwhile.
    if (sentBytes === sizeBytes) response.end();
    else response.destroy();
  } catch (error) {
    if (response.headersSent) response.destroy();
    if (!(error instanceof ClientGoneError)) throw error;
  }
}

/**
 * Returns the SHA-256 of a request's route and its idempotency key. An API key that may use certain models only has
 * idempotency keys of its own, so that it never gets the answers to its user's other keys.
 * @throws HttpError 400 if the key is not 1 to 255 visible ASCII characters.
 */
function hashKey(
  { routeOptions, params }: FastifyRequest,
  { keyId, allowedModels }: Pick<Requester, 'keyId' | 'allowedModels'>,
  key: unknown,
): string {
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key)) {
    throw invalidRequest("The header 'Idempotency-Key' must be 1 to 255 visible ASCII characters without spaces.");
  }
  const own = allowedModels === undefined ? [] : [keyId];
  return hash('sha256', JSON.stringify([routeOptions.url, params, key, ...own]), 'hex');
}

/** Returns the SHA-256 of a body; of a form, that of its parts, because clients choose a new boundary for a retry. */
async function hashBody(request: FastifyRequest): Promise<string> {
  const form = findForm(request);
  if (form) return hashForm(form);
  return hashBytes(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
}

async function hashForm({ fields, files }: Form): Promise<string> {
  const hashedFiles = await Promise.all(files.map(async (file) => ({ ...file, bytes: await hashBytes(file.bytes) })));
  return hashBytes(Buffer.from(JSON.stringify({ fields, files: hashedFiles })));
}
