/** Callbacks of an observed iteration. */
export interface IterationWatcher<Item> {
  readonly onItem?: ((item: Item) => void) | undefined;
  /** Called at the end: with an error if the iteration failed, with `isLeft` if the consumer stopped early. */
  readonly onEnd: (error: unknown, isLeft: boolean) => void;
}

/** Wraps an iterable and calls the watcher. `return` reaches the source even before its first item. */
export function watchIteration<Item>(
  items: AsyncIterable<Item>,
  { onItem, onEnd }: IterationWatcher<Item>,
): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      // Not an async function, for performance: it runs for every chunk of every stream.
      const next = () =>
        iterator.next().then(
          (result) => {
            if (result.done) onEnd(undefined, false);
            else onItem?.(result.value);
            return result;
          },
          (error: unknown) => {
            onEnd(error, false);
            throw error;
          },
        );
      const leave = async (): Promise<IteratorResult<Item>> => {
        onEnd(undefined, true);
        return (await iterator.return?.()) ?? { done: true, value: undefined };
      };
      return { next, return: leave };
    },
  };
}
