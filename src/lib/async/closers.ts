import { once } from './once.ts';

/** Owner of open resources. */
export type Closers = ReturnType<typeof createClosers>;

/**
 * Creates an owner without resources.
 * @param onError called for each resource that fails to close. The others are closed anyway unless it throws.
 */
export function createClosers(onError: (error: unknown) => void) {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    /** Adds the close function of a resource. */
    add: (close: () => Promise<unknown>): void => void closers.push(close),
    /** Closes the resources sequentially, newest first. Later calls return the same promise. */
    closeAll: once(async () => {
      for (const close of closers.toReversed()) await close().catch(onError);
    }),
  };
}
