import type { Requester } from '../../../core/generation/index.ts';
import type { ChatCompletion } from '../../../core/models/index.ts';
import type { StoredResponses } from '../../../core/responses/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Hold } from '../../../lib/http/held-bytes.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { toErrorFacts } from '../../server/errors/error-response.ts';
import { HttpError } from '../../server/errors/http-error.ts';
import { withClientFields } from '../requests/fields/client-fields.ts';
import type { PrintResponse } from './print-response.ts';

interface BackgroundDeps {
  readonly responses: StoredResponses;
  readonly clock: Clock;
}

/** A response to generate after the request was answered. */
export interface BackgroundJob {
  readonly id: string;
  readonly requester: Requester;
  readonly inputItems: readonly JsonObject[];
  readonly print: PrintResponse;
  /** Counts the request until the response is generated. */
  readonly hold: Hold;
  readonly generate: (signal: AbortSignal) => Promise<ChatCompletion>;
  /** Stores the finished response. Resolves to false if it could not be stored. */
  readonly save: (completion: ChatCompletion) => Promise<boolean>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Responses that are generated while no client waits for them. */
export type BackgroundResponses = ReturnType<typeof createBackgroundResponses>;

const MAX_RUNNING_PER_USER = 20;
const MAX_RUNNING = 200;
/** Well below the time after which a response without a sign of life is reported as lost. */
const KEEP_ALIVE_MS = 5000;

class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

export function createBackgroundResponses({ responses, clock }: BackgroundDeps) {
  const running = new Map<
    string,
    { readonly userId: number; readonly controller: AbortController; readonly ended: Promise<void> }
  >();

  const requireCapacity = (userId: number) => {
    const ofUser = [...running.values()].filter((one) => one.userId === userId).length;
    if (ofUser < MAX_RUNNING_PER_USER && running.size < MAX_RUNNING) return;
    throw new HttpError({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'Too many background responses are running.',
      headers: { 'retry-after': '10' },
    });
  };
  /** Notices cancellations by other processes. */
  const watch = (id: string, controller: AbortController): (() => void) => {
    let cancelTimer = () => {};
    const schedule = () => {
      cancelTimer = clock.setTimer(KEEP_ALIVE_MS, () => {
        responses
          .keepAlive(id)
          .then((isWanted) => {
            if (!isWanted) controller.abort(new CancelledError());
          })
          .catch(() => {})
          .finally(() => {
            if (running.has(id)) schedule();
          });
      });
    };
    schedule();
    return () => cancelTimer();
  };
  const generate = async ({ id, print, generate, save, logger }: BackgroundJob, controller: AbortController) => {
    const stopWatching = watch(id, controller);
    try {
      if (await save(await generate(controller.signal))) return;
      throw (await responses.keepAlive(id)) ? new Error('The response could not be stored') : new CancelledError();
    } catch (error) {
      const isCancelled = [error, controller.signal.reason].some((reason) => reason instanceof CancelledError);
      if (!isCancelled) logger.warn({ reason: describeError(error) }, 'a background response failed');
      const failure = isCancelled
        ? { status: 'cancelled' as const }
        : { status: 'failed' as const, error: toErrorFacts(withClientFields(error, '/ai/openai/responses')) };
      await responses.fail(id, print({ ...failure, output: [] })).catch(() => {});
    } finally {
      stopWatching();
    }
  };

  return {
    /**
     * Stores a response as running and starts it.
     * @returns the response object in progress.
     * @throws HttpError 429 if the user has too many running ones.
     */
    async begin(job: BackgroundJob): Promise<JsonObject> {
      const { id, requester, inputItems, print, hold } = job;
      const { userId } = requester;
      requireCapacity(userId);
      const controller = new AbortController();
      const body = print({ status: 'in_progress', output: [] });
      // In the same step as the check above, so that parallel requests see it.
      const begun = responses.begin({ id, userId, inputItems, body });
      hold.retain();
      const ended = begun
        .then(() => generate(job, controller))
        .catch(() => {})
        .finally(() => {
          running.delete(id);
          hold.release();
        });
      running.set(id, { userId, controller, ended });
      await begun;
      return body;
    },
    /** Aborts a response if this process generates it. Other processes notice the stored cancellation. */
    cancel: (id: string): void => running.get(id)?.controller.abort(new CancelledError()),
    /** Aborts all responses and resolves when their failures are stored. */
    async close(): Promise<void> {
      const all = [...running.values()];
      for (const { controller } of all) controller.abort(new Error('The service is stopping'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
