import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';

const RETRY_MS = 1000;

/**
 * Runs a write and retries it until the database responds. If the process ends meanwhile, the update is handled again
 * after the next start.
 * @throws the signal's reason.
 */
export async function persist<Result>(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  signal: AbortSignal,
  write: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      logger.warn({ err: error }, 'updates cannot be written to the inbox; retrying');
      await sleep(clock, RETRY_MS, signal);
    }
  }
}
