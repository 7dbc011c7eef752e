import type { Page } from '../../page.ts';
import { AuditLogView } from './audit-log-view.tsx';

/** Actions of admins. */
export const auditLogPage: Page = {
  name: 'audit-log',
  title: { en: 'Audit log', ru: 'Журнал действий' },
  icon: 'list',
  isForAdmins: true,
  View: AuditLogView,
};
