import { and, desc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { adminActions } from '../../database/schema/index.ts';
import type { AdminAction } from '../administration/index.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** All kinds of actions. */
export const ADMIN_ACTIONS = adminActions.action.enumValues;

export interface AuditFilter {
  readonly adminTelegramId?: number | undefined;
  readonly action?: AdminAction['action'] | undefined;
  readonly subject?: string | undefined;
  readonly from?: Date | undefined;
  /** Excluded. */
  readonly to?: Date | undefined;
}

/** An entry of the audit log. */
export interface ListedAction extends AdminAction {
  readonly id: number;
}

/** Lists the audit log, newest first. */
export async function listAuditLog(
  db: Database,
  { adminTelegramId, action, subject, from, to }: AuditFilter,
  { limit, after }: PageRequest,
): Promise<Page<ListedAction>> {
  const rows = await db
    .select()
    .from(adminActions)
    .where(
      and(
        adminTelegramId === undefined ? undefined : eq(adminActions.adminTelegramId, adminTelegramId),
        action && eq(adminActions.action, action),
        subject === undefined ? undefined : eq(adminActions.subject, subject),
        from && gte(adminActions.createdAt, from),
        to && lt(adminActions.createdAt, to),
        after && lt(adminActions.id, Number(after[0])),
      ),
    )
    .orderBy(desc(adminActions.id))
    .limit(limit + 1);
  return toPage(rows, limit, { toItem: (row) => ({ ...row, keyId: row.keyId ?? undefined }), toKey: ({ id }) => [id] });
}
