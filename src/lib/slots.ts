/** As much waits already as may wait. */
export class SlotsFullError extends Error {
  override readonly name = 'SlotsFullError';
}

/** Work of which some is done at a time; the rest waits in order. */
export interface Slots {
  /**
   * Does the work when it is its turn. From then on an abort is the work's own affair.
   * @throws SlotsFullError; the signal's reason where it aborts before; what the work throws.
   */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

export function createSlots({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }): Slots {
  const waiting = new Set<() => void>();
  let atWork = 0;

  const enter = async (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    if (atWork < atOnce) {
      atWork += 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw new SlotsFullError('Too much waits already');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      waiting.delete(resolve);
      reject(signal?.reason);
    };
    waiting.add(resolve);
    signal?.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  };
  const leave = () => {
    const [next] = waiting;
    // Whoever waits takes the place over.
    if (!next) atWork -= 1;
    else if (waiting.delete(next)) next();
  };

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
