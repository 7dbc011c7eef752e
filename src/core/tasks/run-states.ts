import type { TaskRunState } from './task.ts';

/** States of a run that has not ended. */
export const OPEN_STATES: TaskRunState[] = ['due', 'claimed', 'started'];
