import { once } from './once.ts';

/** Owner of open resources. */
export interface Closers {
  /** Adds the close function of a resource. */
  add(close: () => Promise<unknown>): void;
  /** Closes the resources sequentially, newest first. Later calls return the same promise. */
  closeAll(): Promise<void>;
}

/** @param onError called for each resource that fails to close. The others are closed anyway unless it throws. */
export function createClosers(onError: (error: unknown) => void): Closers {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void closers.push(close),
    closeAll: once(async () => {
      for (const close of closers.toReversed()) await close().catch(onError);
    }),
  };
}
