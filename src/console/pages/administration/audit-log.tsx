import { defineTexts } from '../../../texts/define-texts.ts';
import type { AdminAction } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Card } from '../../ui/card.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useTexts } from '../../view-context.ts';
import { printUser } from '../shared/to-name.ts';

/** Actions of admins. */
export const auditLogPage: Page = {
  name: 'audit-log',
  title: { en: 'Audit log', ru: 'Журнал действий' },
  icon: 'list',
  isForAdmins: true,
  View: AuditLogView,
};

function AuditLogView() {
  const words = useTexts(texts);
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
                cell: ({ admin_telegram_id: id, admin_name: name, key }) => {
                  const admin = printUser(id, name);
                  return key === null ? admin : `${admin} ${words.key(key)}`;
                },
              },
              { title: words.action, cell: ({ action }) => action },
              {
                title: words.subject,
                cell: ({ subject, subject_name: name }) => printUser(subject, name),
              },
              { title: words.reason, cell: ({ reason }) => reason },
            ]}
          />
        )}
      </Paged>
    </Card>
  );
}

const texts = defineTexts({
  en: {
    time: 'Time',
    admin: 'Admin',
    action: 'Action',
    subject: 'About',
    reason: 'Note',
    key: (id: number) => `by key ${id}`,
    empty: 'No admin has done anything yet.',
  },
  ru: {
    time: 'Время',
    admin: 'Администратор',
    action: 'Действие',
    subject: 'Над чем',
    reason: 'Заметка',
    key: (id) => `ключом ${id}`,
    empty: 'Администраторы пока ничего не делали.',
  },
});
