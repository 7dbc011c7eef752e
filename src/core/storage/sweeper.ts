import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SweepResult } from './storage.ts';

interface SweeperOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the end of one sweep to the beginning of the next, in milliseconds. */
  readonly everyMs: number;
  readonly sweep: (signal: AbortSignal) => Promise<SweepResult>;
}

const FIRST_MS = 5000;

/** Runs sweeps one at a time, periodically after `start`. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #cancel = () => {};

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(Math.min(this.#options.everyMs, FIRST_MS));
  }

  /** Sweeps as soon as the running sweep has ended. */
  run(signal: AbortSignal): Promise<SweepResult> {
    const running = this.#last.then(() => this.#options.sweep(AbortSignal.any([signal, this.#closing.signal])));
    this.#last = running.catch(() => {});
    return running;
  }

  /** Aborts the running sweep, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#cancel();
    this.#closing.abort(new Error('The service is ending'));
    await this.#last;
  }

  #schedule(delayMs: number): void {
    const { clock, logger, everyMs } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#cancel = clock.setTimer(delayMs, () => {
      this.run(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ reason: describeError(error) }, 'the sweeper failed');
        })
        .finally(() => this.#schedule(everyMs));
    });
  }
}
