import type { Failure } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

/** Failed requests by model, provider and kind of failure. */
export function Failures() {
  const words = useOwnTexts(texts);
  const failures = useQuery<List<Failure>>('api/failures');
  return (
    <Card title={words.failures}>
      <p class="dim">{words.failuresAbout}</p>
      <LoadedList query={failures} empty={words.noFailures}>
        {(items) => <FailureTable failures={items} />}
      </LoadedList>
    </Card>
  );
}

function FailureTable({ failures }: { readonly failures: readonly Failure[] }) {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  return (
    <Table
      label={words.failures}
      rows={failures}
      keyOf={({ model, provider, outcome }) => JSON.stringify([model, provider, outcome])}
      columns={[
        { title: words.columns.model, cell: ({ model }) => model },
        { title: words.columns.provider, cell: ({ provider }) => provider ?? words.noProvider },
        { title: words.failure, cell: ({ outcome }) => words.outcomes[outcome] ?? outcome },
        { title: words.count, isNumber: true, cell: ({ count }) => formatCount(count) },
        { title: words.last, cell: ({ last_at: lastAt }) => formatTime(lastAt) },
      ]}
    />
  );
}
