import { setImmediate } from 'node:timers/promises';

/**
 * Writes together what comes in one turn of the event loop, and what comes while a write is under way, so that many small writes become a few large ones.
 * @param write gets at least one item and at most `maxItems`; what it throws is thrown to everybody whose items were in it.
 */
export function createGatherer<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  const waiting: { readonly item: Item; readonly settle: PromiseWithResolvers<Result> }[] = [];
  let isWriting = false;

  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      // An embedded database answers before anything else is heard: what has arrived meanwhile is to come along.
      await setImmediate();
      const batch = waiting.splice(0, maxItems);
      try {
        const results = await write(batch.map(({ item }) => item));
        for (const [at, { settle }] of batch.entries()) settle.resolve(results[at] as Result);
      } catch (error) {
        for (const { settle } of batch) settle.reject(error);
      }
    }
    isWriting = false;
  };

  return (item) => {
    const settle = Promise.withResolvers<Result>();
    waiting.push({ item, settle });
    if (!isWriting) void writeAll();
    return settle.promise;
  };
}
