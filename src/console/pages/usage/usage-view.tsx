import { download } from '../../api/request.ts';
import type { Limits, UsageGroup } from '../../api/types.ts';
import { useAll } from '../../api/use-pages.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { ModelUsage } from '../shared/usage/model-usage.tsx';
import { texts as usageTexts } from '../shared/usage/texts.ts';
import { PeriodChoice, usePeriod } from '../shared/usage/use-period.tsx';
import { LimitsView } from './limits-view.tsx';

export function UsageView() {
  const words = useOwnTexts(usageTexts);
  const { days, filter, ...choice } = usePeriod();
  const usage = useAll<UsageGroup>(`api/me/usage/summary?group_by=day,model&limit=100&${filter}`);
  const limits = useQuery<Limits>('api/me/limits');
  const csv = useAction(async () => saveFile(await download(`api/me/usage?format=csv&${filter}`), 'usage.csv'));
  return (
    <>
      <div class="tools">
        <PeriodChoice {...choice} />
        <Button isBusy={csv.isRunning} onPress={csv.run}>
          {words.csv}
        </Button>
      </div>
      <Loaded query={usage}>{(groups) => <ModelUsage days={days} groups={groups} />}</Loaded>
      <Loaded query={limits}>{(data) => <LimitsView limits={data} />}</Loaded>
    </>
  );
}
