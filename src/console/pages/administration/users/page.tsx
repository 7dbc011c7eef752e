import { useState } from 'preact/hooks';
import type { ManagedUser, Plan } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { type List, useQuery } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import type { Page, PageProps } from '../../../page.ts';
import { toAddress } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice, Field, useSearch } from '../../../ui/field.tsx';
import { Filters } from '../../../ui/filters.tsx';
import { Paged } from '../../../ui/loaded.tsx';
import { Table } from '../../../ui/table.tsx';
import { useTexts } from '../../../view-context.ts';
import { toName } from '../../shared/to-name.ts';
import { texts } from './texts.ts';
import { UserView } from './user-view.tsx';

/** Users: their plans, access, budgets, keys and usage. */
export const usersPage: Page = {
  name: 'users',
  title: { en: 'Users', ru: 'Пользователи' },
  icon: 'users',
  isForAdmins: true,
  View: UsersView,
};

function UsersView({ rest: [id] }: PageProps) {
  return id === undefined ? <UserList /> : <UserView key={id} id={id} />;
}

const BANNED = ['', 'true', 'false'] as const;

/** Users with a search and filters. */
function UserList() {
  const words = useTexts(texts);
  const plans = useQuery<List<Plan>>('api/plans');
  const { search, field } = useSearch();
  const [plan, setPlan] = useState('');
  const [banned, setBanned] = useState<(typeof BANNED)[number]>('');
  const filter = new URLSearchParams({ limit: '50' });
  if (search !== '') filter.set('search', search);
  if (plan !== '') filter.set('plan', plan);
  if (banned !== '') filter.set('banned', banned);
  const users = usePages<ManagedUser>(`api/users?${filter}`);
  const names = plans.data?.data.map(({ name }) => name) ?? [];
  return (
    <>
      <Filters search={<Field label={words.search} {...field} />} values={[plan, banned]}>
        <Choice
          label={words.plan}
          value={plan}
          options={[['', words.anyPlan], ...names.map((name) => [name, name] as const)]}
          onChange={setPlan}
        />
        <Choice
          label={words.access}
          value={banned}
          options={BANNED.map((value) => [value, words.bannedFilter[value || 'any']])}
          onChange={setBanned}
        />
      </Filters>
      <Card>
        <Paged pages={users} empty={words.none}>
          {(items) => <UserTable users={items} />}
        </Paged>
      </Card>
    </>
  );
}

function UserTable({ users }: { readonly users: readonly ManagedUser[] }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  return (
    <Table
      label={words.users}
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        { title: words.id, cell: ({ id }) => <a href={toAddress('users', id)}>{id}</a> },
        { title: words.name, cell: (user) => toName(user) ?? (user.universal_key ? words.universalKey : '') },
        { title: words.telegramId, cell: ({ telegram_id: telegramId }) => telegramId ?? words.onlyApi },
        { title: words.plan, cell: (user) => user.plan },
        { title: words.state, cell: (user) => <StateBadge user={user} /> },
        { title: words.since, cell: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}

function StateBadge({ user }: { readonly user: ManagedUser }) {
  const state = toState(user);
  return <Badge kind={BADGES[state]}>{useTexts(texts).states[state]}</Badge>;
}

const BADGES = {
  banned: 'bad',
  notAdmitted: 'warning',
  admin: 'good',
  active: 'good',
  unreachable: 'warning',
} as const;

function toState({ banned, admitted, role, reachable }: ManagedUser) {
  if (banned) return 'banned';
  if (!admitted) return 'notAdmitted';
  if (role === 'admin') return 'admin';
  return reachable ? 'active' : 'unreachable';
}
