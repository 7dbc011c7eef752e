import { setImmediate } from 'node:timers/promises';
import { type Clock, sleep } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { createGatherer } from './gather.ts';
import type { StoredUpdate, UpdateStore } from './update-store.ts';

/** What is known beside an update while it is handled. */
export interface HandlingContext {
  /** The payloads that wait behind it in its lane, in order; at most 200. */
  listFollowing(): Promise<readonly unknown[]>;
}

interface LaneWorkerDeps {
  readonly store: UpdateStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface LaneWorkerOptions {
  readonly workerId: string;
  readonly isAlone: boolean;
  readonly handle: (payload: unknown, context: HandlingContext) => Promise<void>;
  readonly onTakenOver: (lane: number, signal: AbortSignal) => Promise<void>;
  readonly onLost: (lane: number) => void;
  readonly listBusyLanes: () => ReadonlySet<number>;
  readonly tellOthers: (lanes: readonly number[]) => Promise<void>;
  readonly onWorkersCounted: (count: number) => void;
  readonly maxConcurrent: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly maxFollowing: number;
}

/** Works lanes off: this process's part of it. */
interface LaneWorker {
  start(): Promise<void>;
  /** Something new waits in these lanes. */
  wake(lanes: readonly number[]): void;
  /** Another process says so. */
  wakeOwn(lanes: readonly number[]): void;
  drain(timeoutMs: number): Promise<number>;
  close(): Promise<void>;
}

/** A lane that belongs to this process. */
interface OwnLane {
  isRunning: boolean;
  /** Something has come since the lane was last read. */
  isWoken: boolean;
  /** A dead process has left something here that this one has not taken up yet. */
  isLeftOver: boolean;
  /** The dead process may have been at its first update. */
  hasSuspect: boolean;
}

const MAX_TRIES = 3;
/** Updates of a lane that are read at once; then lanes that wait have their turn. */
const READ_AHEAD = 20;
const MAX_FOUND_LANES = 1000;
/** What fits into one message to other processes. */
const MAX_TOLD_LANES = 200;
/** Pause after the database or a handler has failed. */
const RETRY_MS = 1000;
const SWEEP_EVERY_MS = 3_600_000;
/** Telegram forgets updates that it could not deliver for 24 hours: older ones can't be repeated. */
const HANDLED_AGE_MS = 25 * 3_600_000;
const REST_AGE_MS = 7 * 24 * 3_600_000;
const CAN_NOT_BE_READ = 'the inbox can not be read; trying again';
/** A lane of a dead process that takes longer no longer holds up the ones behind it. */
const RECOVERY_PATIENCE_MS = 5000;

export function createLaneWorker(deps: LaneWorkerDeps, options: LaneWorkerOptions): LaneWorker {
  const { store, clock, logger } = deps;
  const { workerId } = options;
  const lanes = new Map<number, OwnLane>();
  /** Lanes that wait for their turn, in order. */
  const wanted = new Set<number>();
  /** Those of them that may be another process's, as long as that is not known. */
  const unsettled = new Set<number>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const closing = new AbortController();
  let isStarted = false;
  let isFilling = false;
  let isAliveUntil = 0;
  let recovering: Promise<void> | undefined;

  const isWorking = () => isStarted && !stopping.signal.aborted && clock.now() < isAliveUntil;
  const markHandled = createGatherer<number, undefined>(async (ids) => {
    await store.markHandled(ids);
    return [];
  }, options.maxConcurrent);

  /** One message at a time: what comes meanwhile is told together. */
  const tellOthers = createGatherer<readonly number[], undefined>(async (batches) => {
    await options.tellOthers([...new Set(batches.flat())].slice(0, MAX_TOLD_LANES));
    return [];
  }, MAX_TOLD_LANES);

  const release = createGatherer<number, undefined>(async (released) => {
    await store.release(workerId, released);
    return [];
  }, options.maxConcurrent);
  const read = createGatherer<number, readonly StoredUpdate[]>(
    (asked) => store.readLanes(asked, READ_AHEAD),
    options.maxConcurrent,
  );

  /** Tries again until the database answers; what is lost by an end meanwhile is handled again after the next start. */
  const persist = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        logger.warn({ err: error }, 'the inbox can not be written; trying again');
        await sleep(clock, RETRY_MS, closing.signal);
      }
    }
  };

  /** @param isSuspect a process may have died of it: a try counts before it is known how it ends. */
  const handle = async (lane: number, { id, payload }: StoredUpdate, isSuspect: boolean): Promise<void> => {
    const context: HandlingContext = {
      listFollowing: async () => (await store.readLane(lane, options.maxFollowing, id)).map((one) => one.payload),
    };
    if (isSuspect && !(await persist(() => store.beginAgain(id, MAX_TRIES)))) {
      logger.error({ updateId: id }, 'an update was set aside: the process has died with it too often');
      return;
    }
    for (let isCounted = isSuspect; ; isCounted = false) {
      try {
        await options.handle(payload, context);
        break;
      } catch (error) {
        logger.error({ err: error, updateId: id }, 'an update could not be handled');
        if (!isCounted && (await persist(() => store.countTry(id, describeError(error), MAX_TRIES)))) {
          logger.error({ updateId: id }, 'an update was set aside; the ones behind it go on');
          return;
        }
        await sleep(clock, RETRY_MS, stopping.signal);
      }
    }
    await persist(() => markHandled(id));
  };

  /** Reads and handles until nothing waits, or others want a turn. */
  const workOff = async (lane: number, own: OwnLane): Promise<void> => {
    const mayGoOn = () => isWorking() && lanes.get(lane) === own;
    while (mayGoOn()) {
      own.isWoken = false;
      const waiting = await read(lane);
      const suspect = own.hasSuspect ? waiting[0] : undefined;
      own.hasSuspect = false;
      if (waiting.length === 0) return;
      for (const update of waiting) {
        if (!mayGoOn()) return;
        await handle(lane, update, update === suspect);
      }
      if (waiting.length < READ_AHEAD && !own.isWoken) return;
      own.isWoken = true;
      if (wanted.size > 0) return;
    }
  };

  const run = async (lane: number, own: OwnLane): Promise<void> => {
    own.isRunning = true;
    try {
      if (own.isLeftOver) await options.onTakenOver(lane, stopping.signal);
      // Where the process is ending not all of it may have been taken up.
      own.isLeftOver &&= stopping.signal.aborted;
      await workOff(lane, own);
      await releaseIfIdle(lane, own);
    } catch (error) {
      if (!stopping.signal.aborted) {
        logger.warn({ err: error, lane }, 'a lane can not go on; trying again');
        await sleep(clock, RETRY_MS, stopping.signal).catch(() => {});
      }
      own.isWoken = true;
    }
    own.isRunning = false;
    if (own.isWoken) wanted.add(lane);
  };

  const releaseIfIdle = async (lane: number, own: OwnLane): Promise<void> => {
    if (own.isWoken || !isWorking() || lanes.get(lane) !== own || options.listBusyLanes().has(lane)) return;
    try {
      await release(lane);
    } finally {
      // Where the answer was lost nobody knows whose it is: whoever wants it claims it.
      if (lanes.get(lane) === own) lanes.delete(lane);
    }
  };

  const begin = (lane: number, own: OwnLane): Promise<void> => {
    const work = run(lane, own).finally(() => {
      running.delete(work);
      void fill();
    });
    running.add(work);
    return work;
  };

  /** Gives lanes their turn while there is room. */
  const fill = async (): Promise<void> => {
    if (isFilling) return;
    isFilling = true;
    // An embedded database answers before anything else is heard: lanes that are woken meanwhile are to come along.
    await setImmediate();
    try {
      while (wanted.size > 0 && running.size < options.maxConcurrent && isWorking()) {
        const turn = [...wanted].slice(0, options.maxConcurrent - running.size);
        const strange = turn.filter((lane) => !lanes.has(lane));
        const claimed = strange.length === 0 ? [] : await store.claim(workerId, strange);
        for (const lane of turn) {
          wanted.delete(lane);
          unsettled.delete(lane);
        }
        for (const lane of claimed)
          if (!lanes.has(lane))
            lanes.set(lane, { isRunning: false, isWoken: false, isLeftOver: false, hasSuspect: false });
        for (const lane of turn) {
          const own = lanes.get(lane);
          if (own?.isRunning === false) void begin(lane, own);
        }
        leaveToOthers(strange.filter((lane) => !claimed.includes(lane)));
      }
      // Where there is no room they would wait for a turn before it is even known whose they are.
      leaveToOthers([...unsettled]);
      unsettled.clear();
    } catch (error) {
      logger.warn({ err: error }, 'lanes can not be taken; trying again');
      await sleep(clock, RETRY_MS, stopping.signal).catch(() => {});
      queueMicrotask(() => void fill());
    } finally {
      isFilling = false;
    }
  };

  /** Whoever has a lane looks for what waits there, at once where it hears of it. */
  const leaveToOthers = (strange: readonly number[]) => {
    if (strange.length > 0) void tellOthers(strange);
  };

  const wake = (woken: readonly number[]) => {
    for (const lane of woken) {
      const own = lanes.get(lane);
      if (own?.isRunning) own.isWoken = true;
      else wanted.add(lane);
      if (!own) unsettled.add(lane);
    }
    void fill();
  };

  /**
   * One lane after the other: where an update kills the process, it dies alone, and not with all that happened to be under way
   * beside it. What had not even begun counts no try.
   */
  const recoverAll = async (): Promise<void> => {
    for (const dead of await store.listDeadLanes(MAX_FOUND_LANES)) {
      if (!isWorking()) return;
      const { lane } = dead;
      const own: OwnLane = { isRunning: true, isWoken: false, isLeftOver: true, hasSuspect: true };
      // Before the answer, which may be late or lost: what is woken meanwhile waits until what was left over is taken up.
      lanes.set(lane, own);
      if (!(await persist(() => store.takeOver(workerId, dead)))) {
        lanes.delete(lane);
        if (own.isWoken) wake([lane]);
        continue;
      }
      lanes.set(lane, own);
      const patience = new AbortController();
      const enough = sleep(clock, RECOVERY_PATIENCE_MS, AbortSignal.any([patience.signal, stopping.signal]));
      await Promise.race([begin(lane, own), enough.catch(() => {})]);
      patience.abort();
    }
  };

  const recover = (): Promise<void> => {
    recovering ??= recoverAll().finally(() => {
      recovering = undefined;
    });
    return recovering;
  };

  /** After a time without the database others may have taken over what was this process's. */
  const dropLost = async (): Promise<void> => {
    const kept = new Set(await store.listOwnLanes(workerId));
    for (const [lane, own] of lanes) {
      if (kept.has(lane)) continue;
      lanes.delete(lane);
      options.onLost(lane);
      logger.warn({ lane, isRunning: own.isRunning }, 'another process has taken a lane over');
    }
  };

  const beat = async (): Promise<void> => {
    const askedAt = clock.now();
    await store.beat(workerId, options.leaseMs);
    // The answer may have come late: others had until then.
    const hadLapsed = lanes.size > 0 && clock.now() >= isAliveUntil;
    if (hadLapsed) await dropLost();
    isAliveUntil = askedAt + options.leaseMs;
    // It may take long, and nothing may hold up the next beat.
    if (hadLapsed) void look().catch((error: unknown) => logger.warn({ err: error }, CAN_NOT_BE_READ));
  };

  const look = async (): Promise<void> => {
    if (!isWorking()) return;
    if (!options.isAlone) options.onWorkersCounted(1 + (await store.countOthersAtWork(workerId)));
    await recover();
    const busy = options.listBusyLanes();
    const idle = [...lanes].filter(([lane, own]) => !own.isRunning && !busy.has(lane)).map(([lane]) => lane);
    wake([...(await store.listWaitingLanes(workerId, MAX_FOUND_LANES)), ...idle]);
  };

  const sweep = async (): Promise<void> => {
    await store.sweep({ handledMs: HANDLED_AGE_MS, restMs: REST_AGE_MS });
  };

  const repeat = async (everyMs: number, what: string, action: () => Promise<void>): Promise<void> => {
    while (!closing.signal.aborted) {
      await sleep(clock, everyMs, closing.signal).catch(() => {});
      if (closing.signal.aborted) return;
      await action().catch((error: unknown) => logger.warn({ err: error }, `the inbox ${what}`));
    }
  };

  return {
    wake,
    wakeOwn: (woken) => wake(woken.filter((lane) => lanes.has(lane))),
    async start() {
      await beat();
      if (options.isAlone) await store.buryOthers(workerId);
      isStarted = true;
      void repeat(options.leaseMs / 3, 'can not say that this process lives', beat);
      void repeat(SWEEP_EVERY_MS, 'can not forget what is old', sweep);
      void look()
        .catch((error: unknown) => logger.warn({ err: error }, CAN_NOT_BE_READ))
        .then(() => repeat(options.pollMs, 'can not be read', look));
      void sweep().catch((error: unknown) => logger.warn({ err: error }, 'the inbox can not forget what is old'));
    },
    async drain(timeoutMs) {
      stopping.abort(new Error('the process is ending'));
      const patience = new AbortController();
      const ended = Promise.all([...running, recovering?.catch(() => {})]);
      await Promise.race([ended, sleep(clock, timeoutMs, patience.signal).catch(() => {})]);
      patience.abort();
      return running.size;
    },
    async close() {
      closing.abort(new Error('the inbox is closed'));
      if (!isStarted) return;
      // What has not ended is as good as cut short by a crash, and the next process treats it so.
      const atWork = [...lanes].filter(([, own]) => own.isRunning || own.isLeftOver).map(([lane]) => lane);
      await store.leave(workerId, new Set([...atWork, ...options.listBusyLanes()]));
    },
  };
}
