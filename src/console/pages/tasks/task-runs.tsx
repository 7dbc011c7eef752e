import type { TaskRun } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRefresh } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 5000;

/** Runs of a task, the newest first. @param path of the list */
export function TaskRuns({ path }: { readonly path: string }) {
  const words = useOwnTexts(texts);
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
