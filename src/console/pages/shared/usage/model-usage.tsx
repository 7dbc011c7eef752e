import type { UsageGroup } from '../../../api/types.ts';
import { Card } from '../../../ui/card.tsx';
import { useOwnTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';
import { UsageChart } from './usage-chart.tsx';
import { UsageTable } from './usage-table.tsx';

interface ModelUsageProps {
  readonly days: readonly string[];
  /** Groups of days and models. */
  readonly groups: readonly UsageGroup[];
}

/** Usage of each model: by day and as a whole. */
export function ModelUsage({ days, groups }: ModelUsageProps) {
  const words = useOwnTexts(texts);
  if (groups.length === 0) return <p class="dim">{words.none}</p>;
  return (
    <>
      <UsageChart days={days} groups={groups} nameOf={toModel} />
      <Card title={words.byModel}>
        <UsageTable title={words.model} groups={groups} nameOf={toModel} />
      </Card>
    </>
  );
}

const toModel = ({ model = '' }: UsageGroup) => model;
