import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields added to log lines that are written on behalf of a request or update. */
export interface LogContext {
  /** Runs `action` so that all log lines written by it, now or later, contain these fields. */
  run<Result>(facts: Readonly<Record<string, string | number>>, action: () => Result): Result;
  /** Returns the current fields; undefined outside of `run`. */
  read(): Readonly<Record<string, string | number>> | undefined;
}

/** Creates a context for one logger. */
export function createLogContext(): LogContext {
  const storage = new AsyncLocalStorage<Readonly<Record<string, string | number>>>();
  return {
    run: (facts, action) => storage.run(facts, action),
    read: () => storage.getStore(),
  };
}
