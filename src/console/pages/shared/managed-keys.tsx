import { useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { request, requestDeletion } from '../../api/request.ts';
import type { ManagedKey } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useTimeFormat } from '../../formats.ts';
import { toAddress } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../view-context.ts';
import { KeyBadge } from './key-badge.tsx';

interface ManagedKeysProps {
  /** Address of the list with its filters. */
  readonly path: string;
  /** Text for an empty list. */
  readonly empty: string;
  /** Shows whose keys they are. */
  readonly showsOwner?: boolean;
}

/** API keys that an admin can pause and revoke. */
export function ManagedKeys({ path, empty, showsOwner = false }: ManagedKeysProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const keys = usePages<ManagedKey>(path);
  const [revoked, setRevoked] = useState<ManagedKey>();
  const pause = useAction(async ({ id, paused_at }: ManagedKey) => {
    await request('PATCH', `api/keys/${id}`, { body: { paused: paused_at === null } });
    keys.reload();
  });
  const revoke = useAction(async ({ id }: ManagedKey) => {
    await requestDeletion(`api/keys/${id}`);
    setRevoked(undefined);
    keys.reload();
  });
  const owner = {
    title: words.user,
    cell: ({ user, user_name: name }: ManagedKey) => <a href={toAddress('users', user)}>{name ?? user}</a>,
  };
  return (
    <>
      <Paged pages={keys} empty={empty}>
        {(items) => (
          <Table
            label={words.keys}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              ...(showsOwner ? [owner] : []),
              { title: words.name, cell: ({ label }) => label },
              { title: words.state, cell: (key) => <KeyBadge apiKey={key} /> },
              { title: words.start, cell: ({ prefix }) => <code>{prefix}…</code> },
              { title: words.lastUsed, cell: ({ last_used: used }) => (used ? formatTime(used.at) : shared.never) },
              {
                title: words.change,
                cell: (key) => (
                  <span class="buttons">
                    {key.scope === 'use' && (
                      <Button isBusy={pause.isRunning} label={words.pauseOf(key.label)} onPress={() => pause.run(key)}>
                        {key.paused_at ? shared.resume : shared.pause}
                      </Button>
                    )}
                    <Button kind="danger" label={words.revokeOf(key.label)} onPress={() => setRevoked(key)}>
                      {shared.revoke}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Paged>
      {revoked && (
        <Confirm
          title={shared.revoke}
          action={shared.revoke}
          isRunning={revoke.isRunning}
          onConfirm={() => revoke.run(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          {shared.revokeBody(revoked.label)}
        </Confirm>
      )}
    </>
  );
}

const texts = defineTexts({
  en: {
    keys: 'API keys',
    user: 'User',
    name: 'Name',
    state: 'State',
    start: 'Begins with',
    lastUsed: 'Last used',
    change: 'Change',
    pauseOf: (name: string) => `Pause or resume ${name}`,
    revokeOf: (name: string) => `Revoke ${name}`,
  },
  ru: {
    keys: 'Ключи API',
    user: 'Пользователь',
    name: 'Название',
    state: 'Состояние',
    start: 'Начало',
    lastUsed: 'Использован',
    change: 'Действия',
    pauseOf: (name) => `Приостановить или возобновить ${name}`,
    revokeOf: (name) => `Отозвать ${name}`,
  },
});
