import { defineTexts } from '../../../texts/define-texts.ts';
import type { Broadcast } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { useTexts } from '../../view-context.ts';
import { printUser } from '../shared/to-name.ts';

/** Broadcasts with their progress. */
export const broadcastsPage: Page = {
  name: 'broadcasts',
  title: { en: 'Broadcasts', ru: 'Рассылки' },
  icon: 'broadcast',
  isForAdmins: true,
  View: BroadcastsView,
};

const REFRESH_MS = 5000;
const OUTCOMES = ['sent', 'waiting', 'blocked', 'failed', 'unclear', 'left_out'] as const;

const BADGES = {
  sending: 'neutral',
  paused: 'warning',
  cancelled: 'neutral',
  gone: 'bad',
  done: 'good',
} as const satisfies Record<Broadcast['state'], BadgeKind>;

/** The latest broadcasts. */
function BroadcastsView() {
  const words = useTexts(texts);
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
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  const { id, admin_telegram_id: adminId, admin_name: adminName, state, created_at, ended_at, recipients } = broadcast;
  const total = OUTCOMES.reduce((sum, outcome) => sum + recipients[outcome], 0);
  const done = total - recipients.waiting;
  return (
    <Card title={words.broadcast(id)} actions={<Badge kind={BADGES[state]}>{words.states[state]}</Badge>}>
      {ended_at === null && (
        <progress max={Math.max(1, total)} value={done} aria-label={words.progress}>
          {words.of(formatCount(done), formatCount(total))}
        </progress>
      )}
      <Facts
        facts={[
          [words.started, words.startedBy(formatTime(created_at), printUser(adminId, adminName))],
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

const texts = defineTexts({
  en: {
    about: 'Send /announce to the bot to start a broadcast. It is paused and cancelled there, too.',
    none: 'There have been no broadcasts.',
    broadcast: (id: number) => `Broadcast ${id}`,
    states: {
      sending: 'is being sent',
      paused: 'paused',
      cancelled: 'cancelled',
      gone: 'its message was deleted',
      done: 'done',
    },
    progress: 'Progress',
    started: 'Started',
    startedBy: (time: string, admin: string) => `${time}, by ${admin}`,
    ended: 'Ended',
    handled: 'Handled',
    of: (done: string, total: string) => `${done} of ${total} users`,
    outcomes: {
      sent: 'Sent',
      waiting: 'Waiting',
      blocked: 'Have blocked the bot',
      failed: 'Failed',
      unclear: 'Unclear',
      left_out: 'Left out',
    },
  },
  ru: {
    about: 'Рассылки начинают, приостанавливают и отменяют в чате с ботом.',
    none: 'Рассылок ещё не было.',
    broadcast: (id) => `Рассылка ${id}`,
    states: {
      sending: 'отправляется',
      paused: 'приостановлена',
      cancelled: 'отменена',
      gone: 'сообщение удалено',
      done: 'завершена',
    },
    progress: 'Ход рассылки',
    started: 'Начата',
    startedBy: (time, admin) => `${time}, администратор ${admin}`,
    ended: 'Закончена',
    handled: 'Обработано',
    of: (done, total) => `${done} из ${total}`,
    outcomes: {
      sent: 'Отправлено',
      waiting: 'Ожидают',
      blocked: 'Заблокировали бота',
      failed: 'Не удалось',
      unclear: 'Неизвестно',
      left_out: 'Пропущены',
    },
  },
});
