import { useState } from 'preact/hooks';
import { describeTimes } from '../../../../texts/describe-times.ts';
import { request, requestDeletion } from '../../../api/request.ts';
import type { Task, TaskRun } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useQuery, useRefresh } from '../../../api/use-query.ts';
import { useTimeFormat, useTimeZone } from '../../../formats.ts';
import { toAddress } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, Facts } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Switch } from '../../../ui/field.tsx';
import { Detail, Paged } from '../../../ui/loaded.tsx';
import { Table } from '../../../ui/table.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useLocale, useSharedTexts, useTexts } from '../../../view-context.ts';
import { TaskForm } from './task-form.tsx';
import { texts } from './texts.ts';

/** A task with its runs. */
export function TaskView({ id }: { readonly id: string }) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
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

interface TaskCardProps {
  readonly task: Task;
  readonly isBusy: boolean;
  readonly onRun: () => void;
  readonly onPause: () => void;
  readonly onResume: () => void;
  readonly onQuiet: (isQuiet: boolean) => void;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** Text and times of a task, with the buttons for it. */
function TaskCard({ task, isBusy, onQuiet, ...on }: TaskCardProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const describeRepetition = useRepetition();
  const { kind, text, state, rule, next_run_at: nextRunAt, pause_reason: pauseReason } = task;
  return (
    <Card title={words.kinds[kind]}>
      <p class="quote">{text}</p>
      {task.has_foreign_text && <p class="dim">{words.foreign}</p>}
      <Facts
        facts={[
          nextRunAt === null
            ? [words.facts.state, pauseReason === null ? words.ended : words.pauseReasons[pauseReason]]
            : [words.facts.next, formatTime(nextRunAt)],
          [words.facts.repetition, describeRepetition(task)],
          [words.facts.chat, task.is_in_group ? words.chats.group : words.chats.private],
        ]}
      />
      {kind === 'question' && rule !== null && (
        <Switch label={words.quiet} hint={words.quietHint} isOn={task.quiet_when_nothing_new} onChange={onQuiet} />
      )}
      <div class="buttons">
        <Button isBusy={isBusy} onPress={on.onRun}>
          {words.run}
        </Button>
        {state === 'active' && (
          <Button isBusy={isBusy} onPress={on.onPause}>
            {shared.pause}
          </Button>
        )}
        {state === 'paused' && (
          <Button isBusy={isBusy} onPress={on.onResume}>
            {shared.resume}
          </Button>
        )}
        <Button onPress={on.onChange}>{shared.edit}</Button>
        <Button kind="danger" onPress={on.onDelete}>
          {shared.delete}
        </Button>
      </div>
    </Card>
  );
}

/** Returns a function that says how often a task runs, with its time zone if it is not the user's. */
export function useRepetition(): (task: Pick<Task, 'rule' | 'starts_at' | 'time_zone'>) => string {
  const locale = useLocale();
  const ownTimeZone = useTimeZone();
  return ({ rule, starts_at: startsAt, time_zone: timeZone }) => {
    if (rule === null) return describeTimes(locale, { kind: 'once' });
    const times = describeTimes(locale, { kind: 'repeated', rule, startsAt });
    return timeZone === ownTimeZone ? times : `${times} (${timeZone})`;
  };
}

const REFRESH_MS = 5000;

/** Runs of a task, the newest first. @param path of the list */
function TaskRuns({ path }: { readonly path: string }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const runs = usePages<TaskRun>(path);
  const isOpen = runs.items?.some(({ ended_at: endedAt }) => endedAt === null) ?? false;
  useRefresh(isOpen ? runs.reload : ignore, REFRESH_MS);
  return (
    <Card title={words.runs}>
      <Paged pages={runs} empty={words.noRuns}>
        {(items) => (
          <Table
            label={words.runs}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { title: words.due, cell: ({ due_at: dueAt }) => formatTime(dueAt) },
              { title: words.result, cell: (run) => describeRun(words, run) },
            ]}
          />
        )}
      </Paged>
    </Card>
  );
}

function describeRun(words: (typeof texts)['en'], run: TaskRun): string {
  const { state, is_quiet: isQuiet, reason, is_manual: isManual, missed_count: missedCount } = run;
  return [
    words.runStates[state === 'done' && isQuiet ? 'quiet' : state],
    ...(reason === null ? [] : [words.reasons[reason]]),
    ...(isManual ? [words.byHand] : []),
    ...(missedCount > 0 ? [words.missed(missedCount)] : []),
  ].join(', ');
}

function ignore(): void {}
