import type { ControlEvent, ControlEventBody } from '../control-protocol.ts';

/** Recent events, and subscriptions to new ones. */
export interface EventLog {
  /** Sequence of the newest event. */
  readonly cursor: number;
  append(event: ControlEventBody): void;
  /** Returns the events after `sequence`; undefined if some of them are no longer kept or never existed. */
  listAfter(sequence: number): readonly ControlEvent[] | undefined;
  /** Calls `listener` with every new event until the returned function is called. */
  subscribe(listener: (event: ControlEvent) => void): () => void;
}

/**
 * Keeps the newest `capacity` events. Sequences begin after `start`. If `start` is the start time, a page that
 * reconnects after a restart can't mistake its old cursor for one of this run.
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
