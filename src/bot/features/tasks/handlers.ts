import { Composer } from 'grammy';
import type { ExtendedAnswer } from '../../framework/answer-extension.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { describeRun, describeToday } from './instructions.ts';
import { findSeenTask, withOwnTask } from './own-task.ts';
import { remind } from './remind.ts';
import { createScheduleTool } from './schedule-tool.ts';
import type { TaskServices } from './services.ts';
import { changeTextByText, changeTimeByText, createTaskChanges, toGoneAnswer } from './task-changes.ts';
import { showRunMessage, toHistoryView } from './task-history.ts';
import { toTaskMenu } from './task-menu.ts';
import type { TaskRunner } from './task-runner.ts';
import { createTaskTimeZone, setTaskTimeZoneByText } from './task-time-zone.ts';
import { createCancelTool, createListTool } from './task-tools.ts';
import { toTaskView } from './task-view.ts';

/** `/tasks`, `/remind`, and tools with which models schedule tasks. */
export function createHandlers(deps: TaskServices & { readonly taskRunner: TaskRunner }): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('tasks', async (ctx) => showView(ctx, await toTaskMenu(deps, ctx, 0)));
  composer.command('remind', (ctx) => remind(deps, ctx, ctx.match));
  composer.use(
    onAction(deps, 'list-tasks', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toTaskMenu(deps, ctx, page)),
    })),
    onAction(deps, 'show-task', async (ctx, { taskId }) => {
      const task = await findSeenTask(deps, ctx, taskId);
      if (!task) return toGoneAnswer(deps, ctx);
      return { afterwards: async () => showView(ctx, await toTaskView(deps, ctx, task)) };
    }),
    onAction(deps, 'list-task-runs', (ctx, { taskId, page }) =>
      withOwnTask(deps, ctx, taskId, (task) => ({
        afterwards: async () => {
          await deps.taskLedger.endSettledRuns();
          await showView(ctx, await toHistoryView(deps, ctx, task, page));
        },
      })),
    ),
    onAction(deps, 'find-task-run', (ctx, { taskId, questionId }) =>
      withOwnTask(deps, ctx, taskId, (task) => ({ afterwards: () => showRunMessage(deps, ctx, task, questionId) })),
    ),
    createTaskChanges(deps),
    createTaskTimeZone(deps),
  );
  return {
    middleware: composer,
    dialogs: {
      'task-text': (ctx, text, taskId) => changeTextByText(deps, ctx, text, taskId),
      'task-time': (ctx, text, taskId) => changeTimeByText(deps, ctx, text, taskId),
      'task-time-zone': (ctx, text, taskId) => setTaskTimeZoneByText(deps, ctx, text, taskId),
    },
    runTask: (runId) => deps.taskRunner.carryOut(runId),
    tools: (answer) =>
      hasTasks(answer)
        ? [createScheduleTool(deps, answer), createListTool(deps, answer), createCancelTool(deps, answer)]
        : [],
    instructions: async (answer) => {
      if (answer.question.extras.taskRun) return describeRun(deps, answer);
      return hasTasks(answer) && canSchedule(deps, answer) ? describeToday(deps, answer) : undefined;
    },
  };
}

/**
 * Returns whether an answer may schedule tasks. Comments of a channel show only replies, and a task has nothing to reply
 * to. An admin can request another answer to a question of another user, whose words must not schedule tasks of the admin.
 */
function hasTasks({ context: { group, isInChain, isGroup, user }, question }: ExtendedAnswer): boolean {
  const isAuthor = question.userId === undefined || question.userId === user.id;
  return isAuthor && group?.settings.hasTasks !== false && !(isGroup && isInChain);
}

function canSchedule({ toolbox }: TaskServices, { context: { user, model } }: ExtendedAnswer): boolean {
  return toolbox.hasBuiltIn('schedule_task') && user.settings.hasTools !== false && model.acceptsTools !== false;
}
