import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';
import { download } from '../../api/request.ts';
import type { Limits, UsageGroup } from '../../api/types.ts';
import { useAll } from '../../api/use-pages.ts';
import { useQuery } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { useLocale, useTexts } from '../../view-context.ts';
import { ModelUsage, PeriodChoice, texts as usageTexts, usePeriod } from '../shared/usage.tsx';

/** The user's own usage, its cost, and what is left. */
export const usagePage: Page = {
  name: 'usage',
  title: { en: 'Usage', ru: 'Использование' },
  icon: 'usage',
  isForAdmins: false,
  View: UsageView,
};

function UsageView() {
  const words = useTexts(usageTexts);
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

const QUOTAS = ['requests_per_minute', 'tokens_per_day', 'images_per_day'] as const;

/** The rest of quotas and budgets. */
function LimitsView({ limits }: { readonly limits: Limits }) {
  const words = useTexts(texts);
  const locale = useLocale();
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  const quotas = QUOTAS.flatMap((name) => {
    const quota = limits[name];
    if (!quota) return [];
    const { remaining, limit } = quota;
    return [
      {
        name: words.quota[name],
        share: remaining / limit,
        text: words.of(formatCount(remaining), formatCount(limit)),
      },
    ];
  });
  const budgets = limits.budgets.map(({ period, limit_usd: limit, spent_usd: spent, resets_at: resetsAt }) => {
    const left = Math.max(0, limit - spent);
    const text = words.of(dollarsOf(locale, left), dollarsOf(locale, limit));
    const until = resetsAt === null ? '' : `, ${words.until(formatTime(resetsAt))}`;
    return { name: words.budget[period], share: left / limit, text: `${text}${until}` };
  });
  const lines = [...quotas, ...budgets];
  return (
    <Card title={words.left}>
      {lines.length === 0 && <p class="dim">{words.noLimits}</p>}
      {lines.map(({ name, share, text }) => (
        <div key={name} class="limit">
          <span>{name}</span>
          <meter min={0} max={1} low={0.2} optimum={1} value={share} aria-label={name}>
            {text}
          </meter>
          <span class="dim">{text}</span>
        </div>
      ))}
    </Card>
  );
}

const texts = defineTexts({
  en: {
    left: 'Remaining',
    noLimits: 'No limits.',
    quota: {
      requests_per_minute: 'Requests per minute',
      tokens_per_day: 'Tokens today',
      images_per_day: 'Images today',
    },
    budget: { day: 'Budget of today', month: 'Budget of this month', total: 'Budget' },
    of: (left: string, limit: string) => `${left} of ${limit} left`,
    until: (time: string) => `until ${time}`,
  },
  ru: {
    left: 'Что осталось',
    noLimits: 'Вас ничто не ограничивает.',
    quota: {
      requests_per_minute: 'Запросов в минуту',
      tokens_per_day: 'Токенов сегодня',
      images_per_day: 'Картинок сегодня',
    },
    budget: { day: 'Бюджет на сегодня', month: 'Бюджет на месяц', total: 'Бюджет' },
    of: (left, limit) => `осталось ${left} из ${limit}`,
    until: (time) => `до ${time}`,
  },
});
