import { type Task, type TaskOwner, toLocalTime } from '../../../core/tasks/index.ts';
import { ToolError } from '../../../core/tools/index.ts';
import type { Answer } from '../../answers/answer.ts';
import { toOwnerOfAnswer } from '../../kit/chats.ts';
import type { FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';
import { toTaskName } from './views.ts';

const MAX_LISTED = 50;

/** Creates the tool that lists the tasks of the user who asks in this chat. */
export function createListTool({ tasks }: BotServices, answer: Answer): FeatureTool {
  return {
    name: 'list_tasks',
    description: 'Lists the reminders and tasks that the user has scheduled in this chat, with their ids.',
    parameters: { type: 'object', properties: {} },
    activity: 'other',
    async run(_, { recordForeignText }) {
      const { tasks: listed, totalCount } = await tasks.list(toOwner(answer), { offset: 0, limit: MAX_LISTED });
      if (totalCount === 0) return 'There are no tasks.';
      if (listed.some(({ hasForeignText }) => hasForeignText)) recordForeignText();
      const rest = totalCount > listed.length ? [`${totalCount - listed.length} more are in /tasks.`] : [];
      return [...listed.map(describeForModel), ...rest].join('\n');
    },
  };
}

/** Creates the tool that deletes a task of the user who asks in this chat. */
export function createCancelTool({ tasks }: BotServices, answer: Answer): FeatureTool {
  return {
    name: 'cancel_task',
    description:
      'Deletes a reminder or task that the user has scheduled in this chat. list_tasks tells the ids. To change a task, ' +
      'cancel it and schedule a new one.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'integer', description: 'Id of the task' },
        name: { type: 'string', description: 'Its text as list_tasks shows it, for the user who may be asked' },
      },
      required: ['id', 'name'],
    },
    permission: 'after-foreign-text',
    asksEachTime: true,
    toQuestion: ({ id, name }) => ({
      ...texts[answer.context.texts.locale].permission.cancel,
      details: [String(name ?? id ?? '')],
    }),
    activity: 'other',
    async run({ id, name }, { recordForeignText }) {
      const taskId = Number(id);
      const owner = toOwner(answer);
      const task = Number.isSafeInteger(taskId) ? await tasks.find(owner, taskId) : undefined;
      // The user may have allowed the call by this name.
      if (task && !isNameOf(task, name)) {
        if (task.hasForeignText) recordForeignText();
        throw new ToolError(`name is not that of the task: ${describeForModel(task)}`);
      }
      if (!task || !(await tasks.remove(owner, taskId)))
        throw new ToolError('there is no such task; list_tasks tells the ids');
      return `Deleted: ${describeForModel(task)}.`;
    },
  };
}

/** Returns whether a model means the text of a task, shortened or whole. */
function isNameOf({ prompt }: Task, name: unknown): boolean {
  const toComparable = (text: string) => toTaskName({ prompt: text }).replace('…', '').trim().toLowerCase();
  return typeof name === 'string' && toComparable(name) === toComparable(prompt);
}

/** Describes a task in one line. */
export function describeForModel(task: Task): string {
  const { id, kind, state, times, quietWhenNothingNew } = task;
  const facts = [
    `task ${id}`,
    kind,
    JSON.stringify(toTaskName(task)),
    ...(times.kind === 'repeated' ? [`repeated by ${times.rule}`] : []),
    state.kind === 'active' ? `next ${formatForModel(state.nextDueAt.getTime(), times.timeZone)}` : state.kind,
    ...(quietWhenNothingNew ? ['sends nothing when there is nothing new'] : []),
  ];
  return facts.join(', ');
}

/** `Tuesday 2026-11-24 18:30 (Europe/Berlin)`. */
export function formatForModel(ms: number, timeZone: string): string {
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone }).format(ms);
  return `${weekday} ${toLocalTime(ms, timeZone).replace('T', ' ')} (${timeZone})`;
}

function toOwner({ context }: Answer): TaskOwner {
  return { userId: context.user.id, ...toOwnerOfAnswer(context) };
}
