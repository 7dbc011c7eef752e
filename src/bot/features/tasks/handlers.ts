import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { ExtendedAnswer, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { describeRun, describeToday } from './instructions.ts';
import { findSeenTask, withOwnTask } from './own-task.ts';
import { remind } from './remind.ts';
import { createScheduleTool } from './schedule-tool.ts';
import { changeTextByText, changeTimeByText, createTaskChanges, toGoneAnswer } from './task-changes.ts';
import { showRunMessage, toHistoryView } from './task-history.ts';
import { toTaskMenu } from './task-menu.ts';
import { createTaskTimeZone, setTaskTimeZoneByText } from './task-time-zone.ts';
import { createCancelTool, createListTool } from './task-tools.ts';
import { toTaskView } from './task-view.ts';

/** `/tasks`, `/remind`, and tools with which models schedule tasks. */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('tasks', async (ctx) => showView(ctx, await toTaskMenu(services, ctx, 0)));
  composer.command('remind', (ctx) => remind(services, ctx, ctx.match));
  composer.use(
    onAction(services, 'list-tasks', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toTaskMenu(services, ctx, page)),
    })),
    onAction(services, 'show-task', async (ctx, { taskId }) => {
      const task = await findSeenTask(services, ctx, taskId);
      if (!task) return toGoneAnswer(services, ctx);
      return { afterwards: async () => showView(ctx, await toTaskView(services, ctx, task)) };
    }),
    onAction(services, 'list-task-runs', (ctx, { taskId, page }) =>
      withOwnTask(services, ctx, taskId, (task) => ({
        afterwards: async () => {
          await services.taskLedger.endSettledRuns();
          await showView(ctx, await toHistoryView(services, ctx, task, page));
        },
      })),
    ),
    onAction(services, 'find-task-run', (ctx, { taskId, questionId }) =>
      withOwnTask(services, ctx, taskId, (task) => ({
        afterwards: () => showRunMessage(services, ctx, task, questionId),
      })),
    ),
    createTaskChanges(services),
    createTaskTimeZone(services),
  );
  return {
    middleware: composer,
    dialogs: {
      'task-text': (ctx, text, taskId) => changeTextByText(services, ctx, text, taskId),
      'task-time': (ctx, text, taskId) => changeTimeByText(services, ctx, text, taskId),
      'task-time-zone': (ctx, text, taskId) => setTaskTimeZoneByText(services, ctx, text, taskId),
    },
    tools: (answer) =>
      hasTasks(answer)
        ? [createScheduleTool(services, answer), createListTool(services, answer), createCancelTool(services, answer)]
        : [],
    instructions: async (answer) => {
      if (answer.question.extras.taskRun) return describeRun(services, answer);
      return hasTasks(answer) && canSchedule(services, answer) ? describeToday(services, answer) : undefined;
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

function canSchedule({ toolbox }: BotServices, { context: { user, model } }: ExtendedAnswer): boolean {
  return toolbox.hasBuiltIn('schedule_task') && user.settings.hasTools !== false && model.acceptsTools !== false;
}
