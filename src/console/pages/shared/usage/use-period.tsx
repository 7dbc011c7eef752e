import { useMemo, useState } from 'preact/hooks';
import { useTimeZone } from '../../../formats.ts';
import { Choice } from '../../../ui/field.tsx';
import { useOwnTexts } from '../../../view-context.ts';
import { listDays } from './figures.ts';
import { texts } from './texts.ts';

const PERIODS = ['7', '30', '90'] as const;
type Period = (typeof PERIODS)[number];

/** Returns the chosen period, in the user's time zone. */
export function usePeriod() {
  const [period, setPeriod] = useState<Period>('30');
  return { ...useDays(Number(period)), period, setPeriod };
}

/** Returns the last days in the user's time zone. */
export function useDays(count: number) {
  const timeZone = useTimeZone();
  const days = useMemo(() => listDays(count, timeZone), [count, timeZone]);
  /** Query parameters that select them. */
  const filter = `from=${days[0]}&time_zone=${encodeURIComponent(timeZone)}`;
  return { days, filter };
}

/** A choice of the period. */
export function PeriodChoice({ period, setPeriod }: Pick<ReturnType<typeof usePeriod>, 'period' | 'setPeriod'>) {
  const words = useOwnTexts(texts);
  const options = PERIODS.map((count) => [count, words.days(Number(count))] as const);
  return <Choice label={words.period} value={period} options={options} onChange={setPeriod} />;
}
