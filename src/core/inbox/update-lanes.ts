import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

export interface UpdateLanesDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface UpdateLanesOptions<Item> {
  /** Works one item off. The signal aborts when a drain has lasted too long. What it throws is logged; the lane goes on. */
  readonly handle: (item: Item, signal: AbortSignal) => Promise<void>;
  /** Items that may wait in one lane, the one being worked off not counted. */
  readonly maxPendingPerChat: number;
  /** Items worked off at the same time, over all lanes. */
  readonly maxConcurrent: number;
  /** Items that may wait in all lanes together. Default 10 000. */
  readonly maxPending?: number;
}

/** Work in order within a lane (one chat, say), in parallel between lanes. */
export interface UpdateLanes<Item> {
  /** False when the lane is full or the lanes are being drained: the item was not taken. */
  add(lane: string | number, item: Item): boolean;
  /** Items that wait or are being worked off. */
  readonly pending: number;
  /**
   * Takes nothing more and works off what is there. After `timeoutMs` the signal of running handlers aborts and what still
   * waits is thrown away.
   * @returns how many items were left unfinished at that moment: 0 after a clean drain.
   */
  drain(timeoutMs: number): Promise<number>;
}

interface Lane<Item> {
  readonly key: string | number;
  readonly waiting: Item[];
}

export function createUpdateLanes<Item>(deps: UpdateLanesDeps, options: UpdateLanesOptions<Item>): UpdateLanes<Item> {
  const maxPending = options.maxPending ?? 10_000;
  const lanes = new Map<string | number, Lane<Item>>();
  // A lane stands here once while it has work and none of it is running; lanes take turns item by item.
  const ready: Lane<Item>[] = [];
  const abortion = new AbortController();
  let waitingCount = 0;
  let runningCount = 0;
  let isDraining = false;
  let onIdle: (() => void) | undefined;

  const startReadyLanes = () => {
    while (runningCount < options.maxConcurrent && !abortion.signal.aborted) {
      const lane = ready.shift();
      const item = lane?.waiting.shift();
      if (!lane || item === undefined) break;
      waitingCount -= 1;
      runningCount += 1;
      void work(lane, item);
    }
    if (waitingCount + runningCount === 0) onIdle?.();
  };

  const work = async (lane: Lane<Item>, item: Item) => {
    try {
      await options.handle(item, abortion.signal);
    } catch (error) {
      deps.logger.error({ err: error, lane: lane.key }, 'an update could not be handled');
    }
    runningCount -= 1;
    if (lane.waiting.length > 0) ready.push(lane);
    else lanes.delete(lane.key);
    startReadyLanes();
  };

  return {
    add(key, item) {
      const lane = lanes.get(key);
      if (isDraining || waitingCount >= maxPending) return false;
      if (lane) {
        if (lane.waiting.length >= options.maxPendingPerChat) return false;
        lane.waiting.push(item);
      } else {
        const opened = { key, waiting: [item] };
        lanes.set(key, opened);
        ready.push(opened);
      }
      waitingCount += 1;
      startReadyLanes();
      return true;
    },
    get pending() {
      return waitingCount + runningCount;
    },
    drain(timeoutMs) {
      isDraining = true;
      if (waitingCount + runningCount === 0) return Promise.resolve(0);
      return new Promise((resolve) => {
        const cancelTimer = deps.clock.setTimer(timeoutMs, () => {
          const leftCount = waitingCount + runningCount;
          for (const lane of lanes.values()) lane.waiting.length = 0;
          waitingCount = 0;
          abortion.abort(new Error('the time to finish is over'));
          resolve(leftCount);
        });
        onIdle = () => {
          cancelTimer();
          resolve(0);
        };
      });
    },
  };
}
