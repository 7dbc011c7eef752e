import type { Task, TaskOwner, TasksOfGroup } from '../../../core/tasks/index.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import { toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';

/** Returns the owner of the tasks that a user makes in a chat: in a group they belong to it as well. */
export function toTaskOwner(ctx: BotContext): TaskOwner {
  return { userId: ctx.user.id, ...toOwner(ctx) };
}

/** Returns the tasks that a user sees in a chat: in a group the own ones, for its admins all. */
export async function toSeenTasks(ctx: BotContext): Promise<TaskOwner | TasksOfGroup> {
  const owner = toTaskOwner(ctx);
  if (owner.groupId === undefined || !(await ctx.isFromAdmin())) return owner;
  return { groupId: owner.groupId };
}

/** Returns a task that the user may see in this chat. */
export async function findSeenTask(services: BotServices, ctx: BotContext, taskId: number): Promise<Task | undefined> {
  return services.tasks.find(await toSeenTasks(ctx), taskId);
}

/** Calls `handle` with the task if it is the user's own and belongs to this chat. */
export async function withOwnTask(
  services: BotServices,
  ctx: BotContext,
  taskId: number,
  handle: (task: Task) => Promise<ActionAnswer> | ActionAnswer,
): Promise<ActionAnswer> {
  const task = await services.tasks.find(toTaskOwner(ctx), taskId);
  if (task) return handle(task);
  const { gone, foreign } = texts[ctx.locale];
  return { hint: (await findSeenTask(services, ctx, taskId)) ? foreign : gone, isAlert: true };
}
