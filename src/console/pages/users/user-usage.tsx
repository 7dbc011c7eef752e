import type { UsageGroup } from '../../api/types.ts';
import { useAll } from '../../api/use-pages.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { ModelUsage } from '../shared/usage/model-usage.tsx';
import { useDays } from '../shared/usage/use-period.tsx';
import { texts } from './texts.ts';

const SHOWN_DAYS = 30;

/** Usage of a user in the last days. */
export function UserUsage({ userId }: { readonly userId: number }) {
  const words = useOwnTexts(texts);
  const { days, filter } = useDays(SHOWN_DAYS);
  const usage = useAll<UsageGroup>(`api/usage/summary?group_by=day,model&limit=100&user=${userId}&${filter}`);
  return (
    <>
      <h2>{words.usage}</h2>
      <Loaded query={usage}>{(groups) => <ModelUsage days={days} groups={groups} />}</Loaded>
    </>
  );
}
