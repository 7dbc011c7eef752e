import type { PageProps } from '../../page.ts';
import { TaskList } from './task-list.tsx';
import { TaskView } from './task-view.tsx';

/** The list, or the task of the address. */
export function TasksView({ rest: [id] }: PageProps) {
  return id ? <TaskView key={id} id={id} /> : <TaskList />;
}
