/**
 * Puts off what sockets bring until everything of this turn of the event loop is read, and begins it together. Work that is under way side
 * by side takes its steps in turn, as promises go on in the order in which they were settled. So the code of each step is in the processor's
 * cache for all but the first; one after the other, each piece of work would have to bring all of its code there again.
 * @returns takes an action, which must not throw
 */
export function createTurnBatch(): (action: () => void) => void {
  let waiting: (() => void)[] = [];
  const run = () => {
    const actions = waiting;
    waiting = [];
    for (const action of actions) action();
  };
  return (action) => {
    // Immediates come right behind the sockets, before the loop waits for anything.
    if (waiting.push(action) === 1) setImmediate(run);
  };
}
