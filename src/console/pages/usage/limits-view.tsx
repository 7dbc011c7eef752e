import { dollarsOf } from '../../../bot/texts/money.ts';
import type { Limits } from '../../api/types.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { useLocale, useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const QUOTAS = ['requests_per_minute', 'tokens_per_day', 'images_per_day'] as const;

/** The rest of quotas and budgets. */
export function LimitsView({ limits }: { readonly limits: Limits }) {
  const words = useOwnTexts(texts);
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
