import { defineTexts } from '../../../texts/define-texts.ts';
import type { ManagedKey } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { useTexts } from '../../view-context.ts';

const BADGES = { active: 'good', paused: 'warning', expired: 'bad' } as const;

/** Whether an API key works. */
export function KeyBadge({ apiKey }: { readonly apiKey: Pick<ManagedKey, 'paused_at' | 'expires_at'> }) {
  const words = useTexts(texts);
  const state = toState(apiKey);
  return <Badge kind={BADGES[state]}>{words[state]}</Badge>;
}

function toState({ paused_at, expires_at }: Pick<ManagedKey, 'paused_at' | 'expires_at'>) {
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return 'expired';
  return paused_at === null ? 'active' : 'paused';
}

const texts = defineTexts({
  en: { active: 'active', paused: 'paused', expired: 'expired' },
  ru: { active: 'действует', paused: 'приостановлен', expired: 'истёк' },
});
