import { useState } from 'preact/hooks';
import { request, requestDeletion } from '../../api/request.ts';
import type { Key } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useTimeFormat } from '../../use-time-format.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts/index.ts';

/** API keys of a user. */
export function UserKeys({ userId }: { readonly userId: number }) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const formatTime = useTimeFormat();
  const keys = usePages<Key>(`api/keys?user=${userId}&limit=100`);
  const [revoked, setRevoked] = useState<Key>();
  const pause = useAction(async ({ id, paused_at }: Key) => {
    await request('PATCH', `api/keys/${id}`, { body: { paused: paused_at === null } });
    keys.reload();
  });
  const revoke = useAction(async ({ id }: Key) => {
    await requestDeletion(`api/keys/${id}`);
    setRevoked(undefined);
    keys.reload();
  });
  return (
    <Card title={words.keys}>
      <Paged pages={keys} empty={words.noKeys}>
        {(items) => (
          <Table
            label={words.keys}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { title: words.keyName, cell: ({ label }) => label },
              { title: words.keyStart, cell: ({ prefix }) => <code>{prefix}…</code> },
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
    </Card>
  );
}
