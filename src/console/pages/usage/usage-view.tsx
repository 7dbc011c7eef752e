import { useCallback, useMemo, useState } from 'preact/hooks';
import { dollarsOf } from '../../../bot/texts/money.ts';
import { download } from '../../api/request.ts';
import type { Limits, UsageGroup } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { saveFile } from '../../save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Choice } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useLocale, useOwnTexts, useProfile } from '../../view-context.ts';
import { type Figure, listDays, sumByModel, toSeries } from './figures.ts';
import { LimitsView } from './limits-view.tsx';
import { texts } from './texts/index.ts';

const PERIODS = ['7', '30', '90'] as const;
const FIGURES = ['cost_usd', 'tokens', 'requests'] as const;

export function UsageView() {
  const words = useOwnTexts(texts);
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('30');
  const { time_zone: timeZone } = useProfile();
  const days = useMemo(() => listDays(Number(period), timeZone ?? 'UTC'), [period, timeZone]);
  const filter = `from=${days[0]}&time_zone=${encodeURIComponent(timeZone ?? 'UTC')}`;
  const usage = useQuery<{ readonly data: readonly UsageGroup[] }>(
    `api/me/usage/summary?group_by=day,model&limit=100&${filter}`,
  );
  const limits = useQuery<Limits>('api/me/limits');
  const csv = useAction(async () => saveFile(await download(`api/me/usage?format=csv&${filter}`), 'usage.csv'));
  return (
    <>
      <div class="tools">
        <Choice
          label={words.period}
          value={period}
          options={PERIODS.map((count) => [count, words.days(Number(count))])}
          onChange={setPeriod}
        />
        <Button isBusy={csv.isRunning} onPress={csv.run}>
          {words.csv}
        </Button>
      </div>
      <Loaded query={usage}>{({ data }) => <UsageOf days={days} groups={data} />}</Loaded>
      <Loaded query={limits}>{(data) => <LimitsView limits={data} />}</Loaded>
    </>
  );
}

function UsageOf({ days, groups }: { readonly days: readonly string[]; readonly groups: readonly UsageGroup[] }) {
  const words = useOwnTexts(texts);
  const locale = useLocale();
  const [figure, setFigure] = useState<Figure>('requests');
  const series = useMemo(() => toSeries(groups, days, figure, words.others), [groups, days, figure, words]);
  const format = useCallback(
    (value: number) =>
      figure === 'cost_usd'
        ? dollarsOf(locale, value)
        : new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value),
    [figure, locale],
  );
  if (groups.length === 0) return <p class="dim">{words.none}</p>;
  const unpriced = groups.reduce((sum, group) => sum + group.requests_without_cost, 0);
  return (
    <>
      <Card
        title={words.perDay[figure]}
        actions={
          <Choice
            label={words.shown}
            value={figure}
            options={FIGURES.map((name) => [name, words.chart[name]])}
            onChange={setFigure}
          />
        }
      >
        <Chart label={words.perDay[figure]} days={days} series={series} formatValue={format} />
      </Card>
      <Card title={words.byModel}>
        <ModelTable groups={groups} />
        {unpriced > 0 && <p class="dim">{words.unpriced(unpriced)}</p>}
      </Card>
    </>
  );
}

function ModelTable({ groups }: { readonly groups: readonly UsageGroup[] }) {
  const words = useOwnTexts(texts);
  const locale = useLocale();
  const count = new Intl.NumberFormat(locale);
  type Row = ReturnType<typeof sumByModel>[number];
  const columns: readonly Column<Row>[] = [
    { title: words.model, cell: ({ model }) => model },
    { title: words.requests, isNumber: true, cell: ({ requests }) => count.format(requests) },
    { title: words.tokens, isNumber: true, cell: ({ tokens }) => count.format(tokens) },
    { title: words.images, isNumber: true, cell: ({ images }) => count.format(images) },
    { title: words.cost, isNumber: true, cell: ({ cost_usd }) => dollarsOf(locale, cost_usd) },
  ];
  return <Table label={words.byModel} columns={columns} rows={sumByModel(groups)} keyOf={({ model }) => model} />;
}
