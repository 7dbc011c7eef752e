import type { Clock } from '../../../../lib/clock.ts';
import { ProviderTimeoutError, ProviderUnavailableError } from '../../model-errors.ts';

export interface TurnsOptions {
  readonly clock: Clock;
  /** Name of the provider, for errors. */
  readonly provider: string;
  readonly maxWaiting: number;
  readonly patienceMs: number;
}

/** One after the other, in the order in which they came. */
export interface Turns {
  /**
   * Resolves when nobody else has the turn, with the function that ends it; calling that again is harmless.
   * @throws ProviderUnavailableError where too many wait, ProviderTimeoutError; the signal's reason.
   */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns({ clock, provider, maxWaiting, patienceMs }: TurnsOptions): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  const createEnd = () => {
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    };
  };
  const awaitTurn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown) => {
        waiting.splice(waiting.indexOf(start), 1);
        cancelPatience();
        signal.removeEventListener('abort', onAbort);
        reject(reason);
      };
      const onAbort = () => leave(signal.reason);
      const cancelPatience = clock.setTimer(patienceMs, () =>
        leave(new ProviderTimeoutError(provider, 'first-token', patienceMs)),
      );
      const start = () => {
        cancelPatience();
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(start);
    });

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (!isTaken) {
        isTaken = true;
        return createEnd();
      }
      if (waiting.length >= maxWaiting)
        throw new ProviderUnavailableError(provider, `${provider} has too many pictures to draw already`);
      await awaitTurn(signal);
      const end = createEnd();
      if (signal.aborted) end();
      signal.throwIfAborted();
      return end;
    },
  };
}
