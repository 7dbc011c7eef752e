/** What is told of an iteration. */
export interface IterationWatcher<Item> {
  readonly onItem?: ((item: Item) => void) | undefined;
  /** Nothing more comes: with an error it broke off; it was left where the reader has stopped early, which is no error. */
  readonly onEnd: (error: unknown, isLeft: boolean) => void;
}

/** The same items; how the iteration goes is told. Leaving it reaches the source also before its first item. */
export function watchIteration<Item>(
  items: AsyncIterable<Item>,
  { onItem, onEnd }: IterationWatcher<Item>,
): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      // No async function: there is one call of it for each piece of whatever goes through the process.
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
