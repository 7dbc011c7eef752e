import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { download } from '../../api/request.ts';
import type { Failure, UsageGroup } from '../../api/types.ts';
import { useAll } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { toAddress } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/field.tsx';
import { Loaded, LoadedList } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../view-context.ts';
import { PeriodChoice, UsageChart, UsageTable, texts as usageTexts, usePeriod } from '../shared/usage.tsx';

/** Usage of all users and its cost. */
export const requestsPage: Page = {
  name: 'requests',
  title: { en: 'Requests', ru: 'Запросы' },
  icon: 'usage',
  isForAdmins: true,
  View: RequestsView,
};

/** Most groups in one answer. */
const MAX_GROUPS = 100;
const COLUMNS = ['model', 'provider', 'user', 'kind'] as const;
type Column = (typeof COLUMNS)[number];

function RequestsView() {
  const words = useTexts(texts);
  const usageWords = useTexts(usageTexts);
  const { days, filter, ...choice } = usePeriod();
  const [column, setColumn] = useState<Column>('model');
  const csv = useAction(async () => {
    const file = await download(`api/usage/summary?group_by=day,${column}&format=csv&${filter}`);
    saveFile(file, `usage-by-${column}.csv`);
  });
  const months = useAction(async () => {
    const from = new URLSearchParams(filter);
    from.set('from', `${days[0]?.slice(0, 7)}-01`);
    saveFile(await download(`api/usage/summary?group_by=month,user&format=csv&${from}`), 'usage-by-month-and-user.csv');
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
        <Button isBusy={months.isRunning} onPress={months.run}>
          {words.months}
        </Button>
      </div>
      <DailyUsage days={days} filter={filter} />
      <GroupedUsage column={column} filter={filter} />
      <Failures />
    </>
  );
}

function DailyUsage({ days, filter }: { readonly days: readonly string[]; readonly filter: string }) {
  const words = useTexts(texts);
  const usage = useAll<UsageGroup>(`api/usage/summary?group_by=day&limit=100&${filter}`);
  return <Loaded query={usage}>{(groups) => <UsageChart days={days} groups={groups} nameOf={words.all} />}</Loaded>;
}

function GroupedUsage({ column, filter }: { readonly column: Column; readonly filter: string }) {
  const words = useTexts(texts);
  const { none } = useTexts(usageTexts);
  const { kinds } = useSharedTexts();
  const usage = useQuery<List<UsageGroup>>(
    `api/usage/summary?group_by=${column}&order=cost&limit=${MAX_GROUPS}&${filter}`,
  );
  const toCell = (name: string): ComponentChildren => {
    if (column === 'user') {
      const user = usage.data?.data.find((group) => String(group.user) === name);
      return <a href={toAddress('users', name)}>{user?.user_name ?? words.user(name)}</a>;
    }
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

/** Failed requests by model, provider and kind of failure. */
function Failures() {
  const words = useTexts(texts);
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
  const words = useTexts(texts);
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
        {
          title: words.failure,
          cell: ({ outcome }) => words.outcomes[outcome as keyof typeof words.outcomes] ?? outcome,
        },
        { title: words.count, isNumber: true, cell: ({ count }) => formatCount(count) },
        { title: words.last, cell: ({ last_at: lastAt }) => formatTime(lastAt) },
      ]}
    />
  );
}

const texts = defineTexts({
  en: {
    all: () => 'All requests',
    months: 'CSV by month and user',
    groupBy: 'Group by',
    columns: { model: 'Model', provider: 'Provider', user: 'User', kind: 'Kind' },
    by: { model: 'By model', provider: 'By provider', user: 'By user', kind: 'By kind' },
    user: (id: string) => `User ${id}`,
    mostExpensive: (count: number) => `The ${count} most expensive ones. The CSV file has all.`,
    failures: 'Failed requests',
    failuresAbout:
      'Since this process started. A request that several providers fail is counted for each of them; the answer may have come from another.',
    noFailures: 'No request has failed.',
    noProvider: 'not asked',
    failure: 'Error',
    count: 'Number',
    last: 'Last',
    outcomes: {
      timeout: 'no answer in time',
      unavailable: 'not available',
      rate_limited: 'too many requests (429)',
      refused_key: 'key refused (401, 403)',
      no_credit: 'account without credit (402)',
      rejected: 'request rejected',
      broken_off: 'answer broke off',
      unknown_model: 'unknown model',
      over_limit: 'over a limit or budget',
      queue_full: 'queue full',
      failure: 'internal error',
    },
  },
  ru: {
    all: () => 'Все запросы',
    months: 'CSV по месяцам и пользователям',
    groupBy: 'По чему',
    columns: { model: 'Модель', provider: 'Провайдер', user: 'Пользователь', kind: 'Вид' },
    by: { model: 'По моделям', provider: 'По провайдерам', user: 'По пользователям', kind: 'По видам' },
    user: (id) => `Пользователь ${id}`,
    mostExpensive: (count) => `Показаны ${count} самых дорогих. В файле CSV — все.`,
    failures: 'Неудачные запросы',
    failuresAbout:
      'С запуска этого процесса. Запрос, который не удался у нескольких провайдеров, считается для каждого; ответ мог прийти от другого.',
    noFailures: 'Неудачных запросов нет.',
    noProvider: 'не запрошен',
    failure: 'Ошибка',
    count: 'Число',
    last: 'Последняя',
    outcomes: {
      timeout: 'нет ответа вовремя',
      unavailable: 'недоступен',
      rate_limited: 'слишком много запросов (429)',
      refused_key: 'ключ отклонён (401, 403)',
      no_credit: 'на счёте нет средств (402)',
      rejected: 'запрос отклонён',
      broken_off: 'ответ оборвался',
      unknown_model: 'неизвестная модель',
      over_limit: 'сверх лимита или бюджета',
      queue_full: 'очередь заполнена',
      failure: 'внутренняя ошибка',
    },
  },
});
