import type { ControlEvent, ControlEventBody } from '../control-protocol.ts';

/** What happened lately, and whoever wants to hear it as it happens. */
export interface EventLog {
  /** Sequence of the newest event. */
  readonly cursor: number;
  append(event: ControlEventBody): void;
  /** Events after `sequence`, or undefined where some of them are forgotten or never were. */
  listAfter(sequence: number): readonly ControlEvent[] | undefined;
  /** Calls `listener` with every new event until the answer is called. */
  subscribe(listener: (event: ControlEvent) => void): () => void;
}

/**
 * Keeps the newest `capacity` events. The first has the sequence after `start`: with the time of the start for it, a page
 * that comes back after a restart is never taken for one that missed a few events of this run.
 */
export function createEventLog(capacity: number, start: number): EventLog {
  const kept: ControlEvent[] = [];
  const listeners = new Set<(event: ControlEvent) => void>();
  let cursor = start;
  return {
    get cursor() {
      return cursor;
    },
    append(body) {
      const event: ControlEvent = { sequence: ++cursor, ...body };
      kept.push(event);
      if (kept.length > capacity) kept.shift();
      for (const listener of [...listeners]) listener(event);
    },
    listAfter(sequence) {
      const firstKept = cursor - kept.length;
      if (sequence < firstKept || sequence > cursor) return undefined;
      return kept.slice(sequence - firstKept);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
