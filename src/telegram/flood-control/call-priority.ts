/**
 * Priorities of calls, highest first. `final` completes an answer, `interactive` responds to a user's action, `page`
 * sends part of a longer answer; calls of these three wait for the rate limits. `preview`, `typing` and `broadcast`
 * calls are never queued: they start at once or are dropped.
 */
export const CALL_PRIORITIES = ['final', 'interactive', 'page', 'preview', 'typing', 'broadcast'] as const;

export type CallPriority = (typeof CALL_PRIORITIES)[number];

/** Compares two priorities for sorting: negative when `left` is the higher one. */
export function comparePriorities(left: CallPriority, right: CallPriority): number {
  return CALL_PRIORITIES.indexOf(left) - CALL_PRIORITIES.indexOf(right);
}

/** Returns true if calls of this priority are dropped instead of queued. */
export function isPassing(priority: CallPriority): boolean {
  return comparePriorities(priority, 'preview') >= 0;
}
