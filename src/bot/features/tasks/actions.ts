import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

const task = { taskId: z.number() };
const page = { page: z.number() };

export const actions = {
  'list-tasks': { fields: page },
  'show-task': { fields: task },
  'run-task': { fields: task },
  'pause-task': { fields: task },
  'resume-task': { fields: task },
  'change-task-text': { fields: task },
  'change-task-time': { fields: task },
  'set-task-quiet': { fields: { ...task, isQuiet: z.boolean() } },
  /** Asks for confirmation. */
  'delete-task': { fields: task },
  'delete-task-for-good': { fields: task },
  'list-task-runs': { fields: { ...task, ...page } },
  /** Leads to the message of a run. */
  'find-task-run': { fields: { ...task, questionId: z.number() } },
  'snooze-task': { fields: { ...task, minutes: z.number() } },
  'list-task-time-zones': { fields: task },
  'ask-task-time-zone': { fields: task },
  'select-task-time-zone': { fields: { ...task, timeZone: z.string() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'task-text': never;
    'task-time': never;
    'task-time-zone': never;
  }
}
