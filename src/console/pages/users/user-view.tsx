import type { ManagedUser } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { useTimeFormat } from '../../formats.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Detail } from '../../ui/loaded.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { BudgetCard } from '../shared/budget/budget-card.tsx';
import { ManagedKeys } from '../shared/managed-keys/managed-keys.tsx';
import { AccessCard } from './access-card.tsx';
import { PlanChoice } from './plan-choice.tsx';
import { texts } from './texts.ts';
import { UserUsage } from './user-usage.tsx';

/** One user. */
export function UserView({ id }: { readonly id: string }) {
  const words = useOwnTexts(texts);
  const user = useResource<ManagedUser>(`api/users/${encodeURIComponent(id)}`);
  return (
    <Detail page="users" back={words.back} gone={words.gone} query={user}>
      {(data) => (
        <>
          <Card title={words.user(data.id)}>
            <UserFacts user={data} />
            <PlanChoice user={data} change={user.change} />
          </Card>
          {data.telegram_id !== null && (
            <AccessCard telegramId={data.telegram_id} isAdmin={data.role === 'admin'} onChange={user.reload} />
          )}
          <BudgetCard title={words.budget} scope={`person:${data.id}`} />
          <Card title={words.keys}>
            <ManagedKeys path={`api/keys?user=${data.id}&limit=100`} empty={words.noKeys} />
          </Card>
          <UserUsage userId={data.id} />
        </>
      )}
    </Detail>
  );
}

function UserFacts({ user }: { readonly user: ManagedUser }) {
  const words = useOwnTexts(texts);
  const { yes, no } = useTexts();
  const formatTime = useTimeFormat();
  return (
    <Facts
      facts={[
        [words.telegramId, user.telegram_id ?? words.onlyApi],
        [words.role, words.roles[user.role]],
        [words.admitted, user.admitted ? yes : no],
        [words.reachable, user.reachable ? yes : no],
        [words.since, formatTime(user.created_at)],
      ]}
    />
  );
}
