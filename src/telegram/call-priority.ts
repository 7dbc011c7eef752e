/**
 * Priorities of calls, highest first. `final` completes an answer, `interactive` responds to a user's action, `page` is part of a
 * longer answer; these wait for the rate limits. `preview`, `typing` and `announcement` are passing: they go at once or are dropped.
 */
export const CALL_PRIORITIES = ['final', 'interactive', 'page', 'preview', 'typing', 'announcement'] as const;

export type CallPriority = (typeof CALL_PRIORITIES)[number];

/** Negative when `left` is the higher priority. */
export function comparePriorities(left: CallPriority, right: CallPriority): number {
  return CALL_PRIORITIES.indexOf(left) - CALL_PRIORITIES.indexOf(right);
}

/** Whether a call goes at once or is dropped. */
export function isPassing(priority: CallPriority): boolean {
  return comparePriorities(priority, 'preview') >= 0;
}
