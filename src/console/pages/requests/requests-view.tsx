import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { download } from '../../api/request.ts';
import type { UsageGroup } from '../../api/types.ts';
import { useAll } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { toAddress } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/field.tsx';
import { Loaded, LoadedList } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts as usageTexts } from '../shared/usage/texts.ts';
import { UsageChart } from '../shared/usage/usage-chart.tsx';
import { UsageTable } from '../shared/usage/usage-table.tsx';
import { PeriodChoice, usePeriod } from '../shared/usage/use-period.tsx';
import { Failures } from './failures.tsx';
import { texts } from './texts.ts';

/** Most groups in one answer. */
const MAX_GROUPS = 100;
const COLUMNS = ['model', 'provider', 'user', 'kind'] as const;
type Column = (typeof COLUMNS)[number];

export function RequestsView() {
  const words = useOwnTexts(texts);
  const usageWords = useOwnTexts(usageTexts);
  const { days, filter, ...choice } = usePeriod();
  const [column, setColumn] = useState<Column>('model');
  const csv = useAction(async () => {
    const file = await download(`api/usage/summary?group_by=day,${column}&format=csv&${filter}`);
    saveFile(file, `usage-by-${column}.csv`);
  });
  return (
    <>
      <div class="tools">
        <PeriodChoice {...choice} />
        <Choice
          label={words.groupBy}
          value={column}
          options={COLUMNS.map((name) => [name, words.columns[name]])}
          onChange={setColumn}
        />
        <Button isBusy={csv.isRunning} onPress={csv.run}>
          {usageWords.csv}
        </Button>
      </div>
      <DailyUsage days={days} filter={filter} />
      <GroupedUsage column={column} filter={filter} />
      <Failures />
    </>
  );
}

function DailyUsage({ days, filter }: { readonly days: readonly string[]; readonly filter: string }) {
  const words = useOwnTexts(texts);
  const usage = useAll<UsageGroup>(`api/usage/summary?group_by=day&limit=100&${filter}`);
  return <Loaded query={usage}>{(groups) => <UsageChart days={days} groups={groups} nameOf={words.all} />}</Loaded>;
}

function GroupedUsage({ column, filter }: { readonly column: Column; readonly filter: string }) {
  const words = useOwnTexts(texts);
  const { none } = useOwnTexts(usageTexts);
  const { kinds } = useTexts();
  const usage = useQuery<List<UsageGroup>>(
    `api/usage/summary?group_by=${column}&order=cost&limit=${MAX_GROUPS}&${filter}`,
  );
  const toCell = (name: string): ComponentChildren => {
    if (column === 'user') return <a href={toAddress('users', name)}>{words.user(name)}</a>;
    return column === 'kind' ? (kinds[name as keyof typeof kinds] ?? name) : name;
  };
  return (
    <Card title={words.by[column]}>
      <LoadedList query={usage} empty={none}>
        {(groups) => (
          <>
            <UsageTable
              title={words.columns[column]}
              groups={groups}
              nameOf={(group) => String(group[column])}
              cell={toCell}
            />
            {groups.length === MAX_GROUPS && <p class="dim">{words.mostExpensive(MAX_GROUPS)}</p>}
          </>
        )}
      </LoadedList>
    </Card>
  );
}
