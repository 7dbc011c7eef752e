import type { Database } from '../../../src/database/connect.ts';

/** Called before and after every statement and transaction. A promise that never settles simulates a killed process. */
export type StatementWatcher = (moment: 'before' | 'after', isInTransaction: boolean) => Promise<void>;

/** Simulates a process that dies during a transaction: the server rolls it back, and the caller gets no result. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** Wraps a database so that every statement can be observed or made the last one. */
export function watchDatabase(db: Database, watch: StatementWatcher): Database {
  const runWatched: StatementRunner = async (run, isInTransaction) => {
    await watch('before', isInTransaction);
    const result = await run().catch((error: unknown) =>
      error instanceof KilledError ? new Promise<never>(() => {}) : Promise.reject(error),
    );
    await watch('after', isInTransaction);
    return result;
  };
  return wrap(db, runWatched, false);
}

/** Database with information about the work in progress. */
export type BusyDatabase = ReturnType<typeof createBusyDatabase>;

export function createBusyDatabase(db: Database) {
  const running = new Set<Promise<unknown>>();
  const runCounted: StatementRunner = async (run) => {
    const work = run();
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  return {
    db: wrap(db, runCounted, false),
    /** Tells whether statements or transactions are in progress. */
    isBusy: () => running.size > 0,
    /** Waits for the statements and transactions in progress; false if there are none. */
    async waitForWork() {
      const works = [...running];
      await Promise.allSettled(works);
      return works.length > 0;
    },
  };
}

/** Runs a statement or a transaction. */
type StatementRunner = <Result>(run: () => Promise<Result>, isInTransaction: boolean) => Promise<Result>;

const BUILDING = new Set([
  'insert',
  'update',
  'delete',
  'select',
  'selectDistinct',
  'selectDistinctOn',
  'execute',
  'transaction',
]);

function wrap<Target extends object>(target: Target, runner: StatementRunner, isInTransaction: boolean): Target {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      if (name === 'transaction') {
        return (action: (tx: Database) => Promise<unknown>) =>
          runner(() => value.call(object, (tx: Database) => action(wrap(tx, runner, true))), false);
      }
      if (name === 'then') {
        return (onDone: (result: unknown) => unknown, onFailed: (error: unknown) => unknown) => {
          const run = () => new Promise((resolve, reject) => value.call(object, resolve, reject));
          return runner(run, isInTransaction).then(onDone, onFailed);
        };
      }
      if (name === 'prepare') {
        return (...args: unknown[]) => {
          const statement: { execute(values: unknown): Promise<unknown> } = value.apply(object, args);
          return { execute: (values: unknown) => runner(() => statement.execute(values), isInTransaction) };
        };
      }
      return (...args: unknown[]) => {
        const result: unknown = value.apply(object, args);
        const isBuilder = BUILDING.has(String(name)) || hasThen(result) || 'values' in Object(result);
        return isBuilder && typeof result === 'object' && result !== null
          ? wrap(result, runner, isInTransaction)
          : result;
      };
    },
  });
}

function hasThen(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value;
}
