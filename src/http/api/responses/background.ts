import { z } from 'zod';
import type { Requester } from '../../../core/generation/index.ts';
import { type DurableJob, RetryLaterError, TooManyJobsError } from '../../../core/jobs/index.ts';
import { LimitExceededError } from '../../../core/limits/index.ts';
import { AllProvidersFailedError, ProviderError } from '../../../core/models/index.ts';
import { RESPONSE_JOB } from '../../../core/responses/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { isDatabaseAway } from '../../../lib/errors/is-database-away.ts';
import { HeldBytesFullError } from '../../../lib/http/held-bytes.ts';
import { toStoredNetwork } from '../../../lib/http/network.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { countCharacters } from '../../../lib/json/large-json.ts';
import { HttpError, invalidApiKey } from '../../../protocols/http-error.ts';
import { printError, type ResponseIdentity } from '../../../protocols/openai-responses/answer/print-response.ts';
import { toRequester } from '../../server/authenticate.ts';
import { toErrorFacts } from '../../server/errors/error-response.ts';
import type { HttpServices } from '../../services.ts';
import { withClientFields } from '../requests/fields/client-fields.ts';
import { type PreparedResponse, prepareResponse } from './prepare-response.ts';
import { requireStorable } from './save-response.ts';

/** A response to generate after the request was answered. */
export interface BackgroundRequest extends Pick<PreparedResponse, 'history' | 'print'> {
  readonly fields: JsonObject;
  readonly requester: Requester;
  readonly identity: ResponseIdentity;
}

/** Responses that are generated while no client waits for them, by any process. */
export type BackgroundResponses = ReturnType<typeof createBackgroundResponses>;

const BOUNDS = { maxRunning: 200, maxPerUser: 20, maxOpen: 5000, maxAttempts: 3, graceMs: 5000 } as const;
/** Pause after a refusal that passes by itself, and while the memory is full. */
const REFUSED_MS = 5000;
const MEMORY_FULL_MS = 30_000;
/** Time from the request after which such refusals fail the response. */
const MAX_REFUSED_MS = 3_600_000;
/** Attempts to store a response that is generated, and the pause after the first, which doubles each time. */
const STORE_ATTEMPTS = 6;
const STORE_AGAIN_MS = 1000;
/** Reserved in memory for each answer until its size is known. */
const USUAL_ANSWER_BYTES = 64 * 1024;

const payloadSchema = z.object({
  fields: z.looseObject({}),
  createdAtMs: z.int(),
  /** The key's rules and its owner may change until an attempt begins. */
  keyId: z.int(),
  network: z.string(),
});

/** Registers the jobs that generate background responses. */
export function createBackgroundResponses(services: HttpServices) {
  const { accounts, clock, durableJobs, responses, generation, heldBytes, logger } = services;

  /** Ends a response that is not finished, cancelled or deleted. */
  const fail = async ({ key: id, userId }: DurableJob, error: unknown) => {
    const found = await responses.find(userId, id);
    const facts = toErrorFacts(withClientFields(error, '/ai/openai/responses'));
    await responses.end(userId, id, { ...found?.body, status: 'failed', error: printError(facts) });
  };
  /** @throws HttpError 401; KeyRefusedError */
  const findRequester = async ({ keyId, network }: z.infer<typeof payloadSchema>) => {
    const identity = await accounts.findByKeyId(keyId);
    if (!identity) throw invalidApiKey('The API key of this request is no longer valid.');
    return toRequester(identity, network);
  };
  /** Stores a response that has been paid, although the database fails for a while. @throws the last error */
  const retryStoring = async (store: () => Promise<boolean>, signal: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await store();
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error;
        logger.warn({ reason: describeError(error) }, 'a background response could not be stored; retrying');
        await sleep(clock, STORE_AGAIN_MS * 2 ** (attempt - 1), signal);
      }
    }
  };
  const generate = async (job: DurableJob, signal: AbortSignal) => {
    const { key: id, userId } = job;
    const found = await responses.find(userId, id);
    if (!found || found.state === 'done') return;
    const payload = payloadSchema.parse(job.payload);
    const { fields, createdAtMs } = payload;
    const requester = await findRequester(payload);
    const hold = heldBytes.open(userId);
    let isAsked = false;
    try {
      hold.add(countCharacters(fields));
      hold.expect(USUAL_ANSWER_BYTES);
      const identity = { id, createdAtMs };
      const prepared = await prepareResponse(services, { fields, userId, identity, hold, logger });
      const recorded = { ...requester, replyId: id };
      isAsked = true;
      const completion = await heldBytes.run(hold, () => generation.complete(recorded, prepared.chatRequest, signal));
      const isStored = await retryStoring(prepared.toStoring(completion), signal);
      if (!isStored) throw new Error('The response could not be stored');
    } catch (error) {
      const afterMs = toPause(error, isAsked);
      const isRetried = afterMs !== undefined && clock.now() < createdAtMs + MAX_REFUSED_MS;
      throw isRetried ? new RetryLaterError(afterMs, { cause: error }) : error;
    } finally {
      hold.release();
    }
  };

  durableJobs.register(RESPONSE_JOB, {
    ...BOUNDS,
    async run(job, signal) {
      try {
        await generate(job, signal);
      } catch (error) {
        const isPassing = error instanceof RetryLaterError || error instanceof HeldBytesFullError;
        if (signal.aborted || isPassing || isOwnDatabaseAway(error)) throw error;
        logger.warn({ responseId: job.key, reason: describeError(error) }, 'a background response failed');
        await fail(job, error);
      }
    },
    giveUp: (job) => fail(job, interruptedTooOften()),
  });

  return {
    /**
     * Stores a request, and starts to generate its response if this process has a free slot.
     * @returns the response object.
     * @throws HttpError 400 for a request that is too large, 429 if the user has too many open ones.
     */
    async begin({ fields, requester, identity, history, print }: BackgroundRequest): Promise<JsonObject> {
      requireStorable(fields);
      const { userId, keyId, address = '' } = requester;
      const { id, createdAtMs } = identity;
      const job = { key: id, userId, payload: { fields, createdAtMs, keyId, network: toStoredNetwork(address) } };
      const body = print({ status: 'in_progress', output: [] });
      try {
        let storedBytes = 0;
        const state = await durableJobs.add(RESPONSE_JOB, job, async (tx) => {
          storedBytes = await responses.begin({ id, userId, inputItems: history.newItems, body }, tx);
        });
        await responses.count(userId, storedBytes);
        return state === 'waiting' ? { ...body, status: 'queued' } : body;
      } catch (error) {
        throw error instanceof TooManyJobsError ? tooMany() : error;
      }
    },
    /** Cancels a response that is not finished. @returns false if it is finished or deleted. */
    async cancel(userId: number, id: string, body: JsonObject): Promise<boolean> {
      const isCancelled = await responses.end(userId, id, { ...body, status: 'cancelled' });
      await durableJobs.cancel(RESPONSE_JOB, id);
      return isCancelled;
    },
    /** Stops generating a deleted response. */
    stop: (id: string): Promise<void> => durableJobs.cancel(RESPONSE_JOB, id),
  };
}

/**
 * Returns the pause after a refusal that has cost nothing and passes by itself, such as reservations of a process that
 * died; undefined for other errors.
 * @param isAsked whether a model may have been asked.
 */
function toPause(error: unknown, isAsked: boolean): number | undefined {
  if (error instanceof HeldBytesFullError) return isAsked ? undefined : MEMORY_FULL_MS;
  if (error instanceof LimitExceededError && !error.isUsedUp) return Math.max(error.retryAfterMs, REFUSED_MS);
  return undefined;
}

/** Connection errors of providers have the same codes. */
function isOwnDatabaseAway(error: unknown): boolean {
  const isOfProvider = error instanceof ProviderError || error instanceof AllProvidersFailedError;
  return !isOfProvider && isDatabaseAway(error);
}

function tooMany(): HttpError {
  return new HttpError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'Too many background responses are running.',
    headers: { 'retry-after': '10' },
  });
}

function interruptedTooOften(): HttpError {
  return new HttpError({
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: `The service stopped or was overloaded ${BOUNDS.maxAttempts} times while it generated this response.`,
  });
}
