import type { PlannedTasks } from '../limits/index.ts';
import type { TaskLimits } from './task.ts';

const DEFAULT_ACTIVE = 20;
const DEFAULT_SHORTEST_INTERVAL_MINUTES = 30;

/** Returns the bounds that a plan sets for a user's tasks. */
export function toTaskLimits({
  active = DEFAULT_ACTIVE,
  shortestIntervalMinutes = DEFAULT_SHORTEST_INTERVAL_MINUTES,
}: PlannedTasks = {}): TaskLimits {
  return { active, shortestIntervalMs: shortestIntervalMinutes * 60_000 };
}
