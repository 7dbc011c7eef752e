import type { Task } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useTimeFormat } from '../../../formats.ts';
import type { Page, PageProps } from '../../../page.ts';
import { toAddress } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Paged } from '../../../ui/loaded.tsx';
import { useTexts } from '../../../view-context.ts';
import { TaskView, useRepetition } from './task-view.tsx';
import { texts } from './texts.ts';

/** Reminders of the user, and questions that models answer at later times. */
export const tasksPage: Page = {
  name: 'tasks',
  title: { en: 'Tasks', ru: 'Задачи' },
  icon: 'clock',
  isForAdmins: false,
  View: TasksView,
};

/** The list, or the task of the address. */
function TasksView({ rest: [id] }: PageProps) {
  return id ? <TaskView key={id} id={id} /> : <TaskList />;
}

function TaskList() {
  const words = useTexts(texts);
  const tasks = usePages<Task>('api/me/tasks?limit=50');
  return (
    <Card>
      <p class="dim">{words.about}</p>
      <Paged pages={tasks} empty={words.none}>
        {(items) => (
          <ul class="entries">
            {items.map((task) => (
              <TaskItem key={task.id} task={task} />
            ))}
          </ul>
        )}
      </Paged>
    </Card>
  );
}

const BADGES = { active: 'good', paused: 'warning', ended: 'neutral' } as const;

function TaskItem({ task }: { readonly task: Task }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const describeRepetition = useRepetition();
  const { id, text, kind, state, is_in_group: isInGroup, next_run_at: nextRunAt } = task;
  const facts = [
    `${words.kinds[kind]}${isInGroup ? ` ${words.inGroup}` : ''}`,
    describeRepetition(task),
    ...(nextRunAt === null ? [] : [words.next(formatTime(nextRunAt))]),
  ];
  return (
    <li>
      <a class="excerpt" href={toAddress('tasks', id)}>
        {text}
      </a>
      <p class="dim">
        <Badge kind={BADGES[state]}>{words.states[state]}</Badge> {facts.join(' · ')}
      </p>
    </li>
  );
}
