import type { Broadcast } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 5000;
const OUTCOMES = ['sent', 'waiting', 'blocked', 'failed', 'unclear', 'left_out'] as const;

/** The latest broadcasts. */
export function BroadcastsView() {
  const words = useOwnTexts(texts);
  const broadcasts = useQuery<List<Broadcast>>('api/broadcasts?limit=50');
  useRefresh(broadcasts.reload, REFRESH_MS);
  return (
    <>
      <p class="dim">{words.about}</p>
      <LoadedList query={broadcasts} empty={words.none}>
        {(items) => items.map((broadcast) => <BroadcastCard key={broadcast.id} broadcast={broadcast} />)}
      </LoadedList>
    </>
  );
}

function BroadcastCard({ broadcast }: { readonly broadcast: Broadcast }) {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  const { id, admin_telegram_id: admin, state, created_at, ended_at, recipients } = broadcast;
  const total = OUTCOMES.reduce((sum, outcome) => sum + recipients[outcome], 0);
  const done = total - recipients.waiting;
  return (
    <Card title={words.broadcast(id)} actions={<span class="badge">{words.states[state]}</span>}>
      {ended_at === null && (
        <progress max={Math.max(1, total)} value={done} aria-label={words.progress}>
          {words.of(formatCount(done), formatCount(total))}
        </progress>
      )}
      <Facts
        facts={[
          [words.started, words.startedBy(formatTime(created_at), admin)],
          ...(ended_at === null ? [] : [[words.ended, formatTime(ended_at)] as const]),
          [words.handled, words.of(formatCount(done), formatCount(total))],
          ...OUTCOMES.filter((outcome) => recipients[outcome] > 0).map(
            (outcome) => [words.outcomes[outcome], formatCount(recipients[outcome])] as const,
          ),
        ]}
      />
    </Card>
  );
}
