import { dollarsOf } from '../../../bot/texts/money.ts';
import type { Plan } from '../../api/types.ts';
import { useCountFormat } from '../../formats.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Table } from '../../ui/table.tsx';
import { useLocale, useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const HOLDERS = ['person', 'key', 'chat', 'address'] as const;
const LIMITS = [
  'requests_per_minute',
  'tokens_per_day',
  'images_per_day',
  'at_once',
  'dollars_per_day',
  'dollars_per_month',
  'dollars_total',
] as const;

/** Limits of a plan. */
export function PlanCard({ plan }: { readonly plan: Plan }) {
  const words = useOwnTexts(texts);
  const { yes, no } = useTexts();
  const locale = useLocale();
  const formatCount = useCountFormat();
  const toText = (name: (typeof LIMITS)[number], limit: number | null | undefined) => {
    if (limit === null || limit === undefined) return '–';
    return name.startsWith('dollars') ? dollarsOf(locale, limit) : formatCount(limit);
  };
  const limits = LIMITS.filter((name) => HOLDERS.some((holder) => (plan[holder]?.[name] ?? null) !== null));
  return (
    <Card title={plan.name}>
      {limits.length === 0 ? (
        <p>{words.noLimits}</p>
      ) : (
        <Table
          label={words.limitsOf(plan.name)}
          rows={limits}
          keyOf={(name) => name}
          columns={[
            { title: words.limit, cell: (name) => words.limits[name] },
            ...HOLDERS.filter((holder) => plan[holder] !== null).map((holder) => ({
              title: words.holders[holder],
              isNumber: true,
              cell: (name: (typeof LIMITS)[number]) => toText(name, plan[holder]?.[name]),
            })),
          ]}
        />
      )}
      <Facts
        facts={[
          [words.unpriced, plan.allows_unpriced_models ? yes : no],
          [words.tasks, words.tasksOf(plan.tasks.active, plan.tasks.shortest_interval_minutes)],
        ]}
      />
    </Card>
  );
}
