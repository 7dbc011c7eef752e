import { once } from './once.ts';

/** Owner of what was opened. */
export interface Closers {
  /** Adds the end of one resource. */
  add(close: () => Promise<unknown>): void;
  /** Closes one resource after the other, the newest first. Later calls get the same promise. */
  closeAll(): Promise<void>;
}

/** @param onError called for each resource that does not close; the others follow unless it throws. */
export function createClosers(onError: (error: unknown) => void): Closers {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void closers.push(close),
    closeAll: once(async () => {
      for (const close of closers.toReversed()) await close().catch(onError);
    }),
  };
}
