import { useState } from 'preact/hooks';
import { request, requestDeletion } from '../../api/request.ts';
import type { Task } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { toAddress } from '../../router.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Detail } from '../../ui/loaded.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { TaskCard } from './task-card.tsx';
import { TaskForm } from './task-form.tsx';
import { TaskRuns } from './task-runs.tsx';
import { texts } from './texts.ts';

/** A task with its runs. */
export function TaskView({ id }: { readonly id: string }) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const path = `api/me/tasks/${encodeURIComponent(id)}`;
  const task = useQuery<Task>(path);
  const [open, setOpen] = useState<'change' | 'delete'>();
  const [runCount, setRunCount] = useState(0);
  const close = () => setOpen(undefined);
  const run = useAction(async () => {
    await request('POST', `${path}/run`).finally(task.reload);
    showToast(words.starts);
    setRunCount((before) => before + 1);
  }, words.problems);
  const change = useAction(async (...options: Parameters<typeof request>) => {
    try {
      task.setData(await request<Task>(...options));
    } catch (error) {
      task.reload();
      throw error;
    }
  }, words.problems);
  const remove = useAction(async () => {
    await requestDeletion(path);
    showToast(shared.deleted);
    location.hash = toAddress('tasks');
  });
  const onSaved = (changed: Task) => {
    task.setData(changed);
    close();
    showToast(shared.saved);
  };
  return (
    <>
      <Detail page="tasks" back={words.back} gone={words.gone} query={task}>
        {(data) => (
          <>
            <TaskCard
              task={data}
              isBusy={run.isRunning || change.isRunning}
              onRun={run.run}
              onPause={() => change.run('POST', `${path}/pause`)}
              onResume={() => change.run('POST', `${path}/resume`)}
              onQuiet={(isQuiet) => {
                task.setData({ ...data, quiet_when_nothing_new: isQuiet });
                change.run('PATCH', path, { body: { quiet_when_nothing_new: isQuiet } });
              }}
              onChange={() => setOpen('change')}
              onDelete={() => setOpen('delete')}
            />
            <TaskRuns key={runCount} path={`${path}/runs`} />
            {open === 'change' && <TaskForm task={data} path={path} onSaved={onSaved} onClose={close} />}
          </>
        )}
      </Detail>
      {open === 'delete' && (
        <Confirm
          title={words.deleteTitle}
          action={shared.delete}
          isRunning={remove.isRunning}
          onConfirm={remove.run}
          onClose={close}
        >
          {words.deleteBody}
        </Confirm>
      )}
    </>
  );
}
