/** Finds whatever there is of these. Keys without a value are missing in the answer. */
export type FindAll<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** In one question; a bound on how long it takes. */
const MAX_TOGETHER = 500;
/** Questions under way: when one hangs, others still get their answers. */
const MAX_AT_ONCE = 4;

/**
 * Single lookups that become one question to the database where they come at the same time. Each is asked after it was wanted, so no answer
 * is older than its question. A failure is that of all who asked together.
 */
export function gatherLookups<Key, Value>(findAll: FindAll<Key, Value>): (key: Key) => Promise<Value | undefined> {
  let wanted = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  let isScheduled = false;
  let underWay = 0;

  const ask = async (batch: ReadonlyMap<Key, PromiseWithResolvers<Value | undefined>>) => {
    underWay += 1;
    try {
      const found = await findAll([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    } finally {
      underWay -= 1;
      if (wanted.size > 0) schedule();
    }
  };
  const askForWanted = () => {
    isScheduled = false;
    while (wanted.size > 0 && underWay < MAX_AT_ONCE) {
      const batch = wanted.size > MAX_TOGETHER ? new Map(wanted.entries().take(MAX_TOGETHER)) : wanted;
      if (batch === wanted) wanted = new Map();
      else for (const key of batch.keys()) wanted.delete(key);
      void ask(batch);
    }
  };
  const schedule = () => {
    if (isScheduled || underWay >= MAX_AT_ONCE) return;
    isScheduled = true;
    // Behind everything that has arrived in this turn of the loop.
    setImmediate(askForWanted);
  };

  return (key) => {
    const known = wanted.get(key);
    if (known) return known.promise;
    const answer = Promise.withResolvers<Value | undefined>();
    wanted.set(key, answer);
    schedule();
    return answer.promise;
  };
}
