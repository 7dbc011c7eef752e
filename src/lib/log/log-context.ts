import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields added to log lines that are written on behalf of a request or update. */
export type LogContext = ReturnType<typeof createLogContext>;

/** Creates a context for one logger. */
export function createLogContext() {
  const storage = new AsyncLocalStorage<Readonly<Record<string, string | number>>>();
  return {
    /** Runs `action` so that all log lines written by it, now or later, contain these fields. */
    run: <Result>(facts: Readonly<Record<string, string | number>>, action: () => Result): Result =>
      storage.run(facts, action),
    /** Returns the current fields; undefined outside of `run`. */
    read: (): Readonly<Record<string, string | number>> | undefined => storage.getStore(),
  };
}
