import { AsyncLocalStorage } from 'node:async_hooks';

/** What lines of the log say of the request or update on whose behalf they were written, wherever that is. */
export interface LogContext {
  /** Every line that comes of `action`, now or later, has these facts. */
  run<Result>(facts: Readonly<Record<string, string | number>>, action: () => Result): Result;
  /** The facts that count here; undefined outside. */
  read(): Readonly<Record<string, string | number>> | undefined;
}

/** A context for one logger. */
export function createLogContext(): LogContext {
  const storage = new AsyncLocalStorage<Readonly<Record<string, string | number>>>();
  return {
    run: (facts, action) => storage.run(facts, action),
    read: () => storage.getStore(),
  };
}
