import type { AdminAction } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useTimeFormat } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

export function AuditLogView() {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const actions = usePages<AdminAction>('api/audit-log?limit=50');
  return (
    <Card>
      <Paged pages={actions} empty={words.empty}>
        {(items) => (
          <Table
            label={words.action}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { title: words.time, cell: ({ created_at }) => formatTime(created_at) },
              {
                title: words.admin,
                cell: ({ admin_telegram_id: admin, key }) => (key === null ? admin : `${admin} ${words.key(key)}`),
              },
              { title: words.action, cell: ({ action }) => action },
              { title: words.subject, cell: ({ subject }) => subject },
              { title: words.reason, cell: ({ reason }) => reason },
            ]}
          />
        )}
      </Paged>
    </Card>
  );
}
