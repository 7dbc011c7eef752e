export { MAX_MISSED, MAX_RUNS_KEPT } from './add-due-run.ts';
export { MAX_AHEAD_MS, type TimesProblem } from './check-times.ts';
export type { ClaimedRun } from './claim-runs.ts';
export { MAX_FAILURES } from './end-run.ts';
export { createRecurrence, type Recurrence, toInstant, toLocalTime } from './recurrence.ts';
export type {
  PauseReason,
  Task,
  TaskContent,
  TaskKind,
  TaskLimits,
  TaskNotice,
  TaskOwner,
  TaskPage,
  TaskRun,
  TaskRunOutcome,
  TaskRunReason,
  TaskRunState,
  TaskState,
  TaskTimes,
} from './task.ts';
export { createTaskLedger, type DueRun, type TaskLedger } from './task-ledger.ts';
export { toTaskLimits } from './task-limits.ts';
export { createTaskScheduler, type TaskScheduler } from './task-scheduler.ts';
export {
  createTasks,
  MAX_ENDED_TASKS,
  MAX_PROMPT_LENGTH,
  type NewTask,
  type TaskRefusal,
  type Tasks,
} from './tasks.ts';
