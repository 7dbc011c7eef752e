import { useCallback, useMemo, useState } from 'preact/hooks';
import { dollarsOf } from '../../../../bot/texts/money.ts';
import type { UsageGroup } from '../../../api/types.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart } from '../../../ui/chart.tsx';
import { Choice } from '../../../ui/field.tsx';
import { useLocale, useOwnTexts } from '../../../view-context.ts';
import { type Figure, type NameOf, toSeries } from './figures.ts';
import { texts } from './texts.ts';

const FIGURES = ['cost_usd', 'tokens', 'requests'] as const;

interface UsageChartProps {
  readonly days: readonly string[];
  /** Groups of days. */
  readonly groups: readonly UsageGroup[];
  /** Must be the same function in each rendering. */
  readonly nameOf: NameOf;
}

/** Cost, tokens or requests of each day. */
export function UsageChart({ days, groups, nameOf }: UsageChartProps) {
  const words = useOwnTexts(texts);
  const locale = useLocale();
  const [figure, setFigure] = useState<Figure>('requests');
  const series = useMemo(
    () => toSeries(groups, { days, figure, nameOf, others: words.others }),
    [groups, days, figure, nameOf, words],
  );
  const format = useCallback(
    (value: number) =>
      figure === 'cost_usd'
        ? dollarsOf(locale, value)
        : new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value),
    [figure, locale],
  );
  return (
    <Card
      title={words.perDay[figure]}
      actions={
        <Choice
          label={words.shown}
          value={figure}
          options={FIGURES.map((name) => [name, words.figures[name]])}
          onChange={setFigure}
        />
      }
    >
      <Chart label={words.perDay[figure]} days={days} series={series} formatValue={format} />
    </Card>
  );
}
