import type { LogEntry } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 5000;

export function LogView() {
  const words = useOwnTexts(texts);
  const log = useQuery<List<LogEntry>>('api/log');
  useRefresh(log.reload, REFRESH_MS);
  return (
    <Card>
      <p class="dim">{words.about}</p>
      <LoadedList query={log} empty={words.none}>
        {(entries) => <LogTable entries={entries} />}
      </LoadedList>
    </Card>
  );
}

function LogTable({ entries }: { readonly entries: readonly LogEntry[] }) {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  return (
    <Table
      label={words.entries}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { title: words.time, cell: ({ time }) => formatTime(time) },
        { title: words.level, cell: ({ level }) => words.levels[level] },
        {
          title: words.message,
          cell: ({ message, error }) => (error === null ? message : `${message}: ${error}`),
        },
        { title: words.facts, cell: ({ facts }) => facts && <code>{facts}</code> },
      ]}
    />
  );
}
