export { MAX_MISSED, MAX_RUNS_KEPT } from './add-due-run.ts';
export { type ClaimedRun, isForPrivateChat } from './claim-runs.ts';
export { createRecurrence, toInstant, toLocalTime } from './recurrence.ts';
export type {
  Task,
  TaskContent,
  TaskOwner,
  TaskRun,
  TaskRunOutcome,
  TaskRunReason,
  TaskTimes,
} from './task.ts';
export { toTaskLimits } from './task.ts';
export { createTaskLedger, type DueRun, isNothingNew, NOTHING_NEW, type TaskLedger } from './task-ledger.ts';
export { createTaskScheduler, type TaskScheduler } from './task-scheduler.ts';
export {
  createTasks,
  MAX_ENDED_TASKS,
  MAX_PAUSED_TASKS,
  MAX_PROMPT_LENGTH,
  type NewTask,
  type TaskRefusal,
  type Tasks,
  type TasksOfGroup,
  type TasksOfUser,
} from './tasks.ts';
export { beginsLikeTime, parseReminder, parseWhen } from './when/parse-when.ts';
export { isTimeAfter, toTimeAfter, toTimes } from './when/to-times.ts';
