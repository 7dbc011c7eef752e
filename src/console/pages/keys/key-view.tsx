import type { Key } from '../../api/types.ts';
import { useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface KeyViewProps {
  readonly apiKey: Key;
  readonly isBusy: boolean;
  readonly onEdit: () => void;
  readonly onPause: (isPaused: boolean) => void;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

/** One key with its rules and its last use. */
export function KeyView({ apiKey, isBusy, onEdit, onPause, onRotate, onRevoke }: KeyViewProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const formatTime = useTimeFormat();
  const { label, prefix, scope, note, paused_at, expires_at, last_used, allowed_models, created_at } = apiKey;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  const facts = [
    words.created(formatTime(created_at)),
    last_used ? words.lastUsed(formatTime(last_used.at), last_used.network) : words.unused,
    ...(expires_at ? [isExpired ? words.expired : words.validUntil(formatTime(expires_at))] : []),
    ...(allowed_models ? [words.onlyModels(allowed_models.join(', '))] : []),
    ...(scope === 'manage' ? [words.manages] : []),
  ];
  return (
    <Card title={label}>
      <p>
        <code>{prefix}…</code> {paused_at && <span class="badge">{words.paused}</span>}
      </p>
      {note && <p>{note}</p>}
      <p class="dim">{facts.join(' · ')}</p>
      <div class="buttons">
        {scope === 'use' && (
          <>
            <Button onPress={onEdit}>{shared.edit}</Button>
            <Button isBusy={isBusy} onPress={() => onPause(paused_at === null)}>
              {paused_at ? shared.resume : shared.pause}
            </Button>
            <Button onPress={onRotate}>{words.rotate}</Button>
          </>
        )}
        <Button kind="danger" onPress={onRevoke}>
          {shared.revoke}
        </Button>
      </div>
    </Card>
  );
}
