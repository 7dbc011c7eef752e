import type { Logger } from '../../../lib/log/logger.ts';
import { AllProvidersFailedError, ProviderError, ProviderRejectedError } from '../contract/model-errors.ts';

/**
 * Tries providers in order until one succeeds. For tasks without a choice of model by the user.
 * @param work name of the task in errors and the log: `transcription`.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
export async function tryInOrder<Model, Result>(
  { logger, work, models }: { readonly logger: Logger; readonly work: string; readonly models: readonly Model[] },
  attempt: (model: Model) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const failures: ProviderError[] = [];
  for (const model of models) {
    try {
      return await attempt(model);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
      failures.push(error);
      logger.warn({ work, provider: error.provider, reason: error.message }, 'a provider failed');
    }
  }
  throw new AllProvidersFailedError(work, failures);
}
