import { eq, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { allowedUsers, bans } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLookup } from '../../lib/lookup.ts';
import { type AdminAction, listActions, noteAction } from './audit-log.ts';

/** What an admin wants, about which Telegram account, and why. */
export interface AdminOrder {
  readonly adminTelegramId: number;
  readonly telegramId: number;
  /** Kept for the admins; empty where there is none. */
  readonly reason: string;
}

/** Who may use the service, and what those who run it have done. All of them are Telegram accounts. */
export interface Administration {
  /** Telegram ids of the admins, as the settings name them now. */
  readonly adminIds: readonly number[];
  /** Whether only admins and people on the list may use the service. */
  readonly isPrivate: boolean;
  /** Whether somebody may use the service. Admins may always. */
  admit(telegramId: number): Promise<'welcome' | 'banned' | 'stranger'>;
  /** @returns `admin`: nobody bans an admin; `already`: nothing has changed. */
  ban(order: AdminOrder): Promise<'done' | 'already' | 'admin'>;
  /** @returns false where there was no ban. */
  unban(order: AdminOrder): Promise<boolean>;
  /** Puts somebody on the list of a private service. @returns false where they are on it. */
  allow(order: AdminOrder): Promise<boolean>;
  /** Takes somebody off the list. @returns `fixed`: an admin, or named by the settings; `already`: was not on it. */
  disallow(order: AdminOrder): Promise<'done' | 'already' | 'fixed'>;
  /** Notes what an admin has done elsewhere. */
  note(action: Omit<AdminAction, 'createdAt'>): Promise<void>;
  /** Newest first. */
  listActions(limit: number): Promise<readonly AdminAction[]>;
}

export interface AdministrationDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the people who run this service. Looked at with every question: others may take their place. */
  readonly adminIds: readonly number[];
  /** Telegram ids of those who may use it beside them. Empty: everybody may. Looked at with every question. */
  readonly allowedIds: readonly number[];
}

/** The answers of `admit` are the database's: what one process changes counts in all of them at once. */
export function createAdministration(deps: AdministrationDeps): Administration {
  const { db, clock } = deps;
  const isAdmin = (telegramId: number) => deps.adminIds.includes(telegramId);
  const isNamed = (telegramId: number) => isAdmin(telegramId) || deps.allowedIds.includes(telegramId);
  const isPrivate = () => deps.allowedIds.length > 0;
  const now = () => new Date(clock.now());
  const findLists = createLookup(async (telegramIds: readonly number[]) => {
    const ids = sql`any(${toBigintArray(telegramIds)})`;
    const listOf = (table: typeof bans | typeof allowedUsers, list: 'banned' | 'allowed') =>
      db
        .select({ telegramId: table.telegramId, list: sql<'banned' | 'allowed'>`${list}::text`.as('list') })
        .from(table)
        .where(sql`${table.telegramId} = ${ids}`);
    const rows = await listOf(bans, 'banned').unionAll(listOf(allowedUsers, 'allowed'));
    const lists = Map.groupBy(rows, ({ telegramId }) => telegramId);
    return new Map([...lists].map(([telegramId, of]) => [telegramId, of.map(({ list }) => list)]));
  });
  /** What is done and what is noted of it belong together. */
  const carryOut = (
    action: AdminAction['action'],
    order: AdminOrder,
    change: (tx: Database) => Promise<readonly unknown[]>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      if ((await change(tx)).length === 0) return false;
      const { adminTelegramId, reason } = order;
      await noteAction(tx, { adminTelegramId, action, subject: `${order.telegramId}`, reason, createdAt: now() });
      return true;
    });

  return {
    get adminIds() {
      return deps.adminIds;
    },
    get isPrivate() {
      return isPrivate();
    },
    async admit(telegramId) {
      // Asked together with others: what the database can't read would be their failure as well.
      if (!Number.isSafeInteger(telegramId)) throw new TypeError('Telegram ids are whole numbers');
      if (isAdmin(telegramId)) return 'welcome';
      const lists = await findLists(telegramId);
      if (lists?.includes('banned')) return 'banned';
      return !isPrivate() || lists?.includes('allowed') || isNamed(telegramId) ? 'welcome' : 'stranger';
    },
    async ban(order) {
      const { telegramId } = order;
      if (isAdmin(telegramId)) return 'admin';
      const values = { telegramId, reason: toStorableText(order.reason), createdAt: now() };
      const isDone = await carryOut('ban', order, (tx) =>
        tx.insert(bans).values(values).onConflictDoNothing().returning(),
      );
      return isDone ? 'done' : 'already';
    },
    unban: (order) =>
      carryOut('unban', order, (tx) => tx.delete(bans).where(eq(bans.telegramId, order.telegramId)).returning()),
    async allow(order) {
      const { telegramId } = order;
      if (isNamed(telegramId)) return false;
      const values = { telegramId, createdAt: now() };
      return carryOut('allow', order, (tx) => tx.insert(allowedUsers).values(values).onConflictDoNothing().returning());
    },
    async disallow(order) {
      const { telegramId } = order;
      if (isNamed(telegramId)) return 'fixed';
      const isDone = await carryOut('disallow', order, (tx) =>
        tx.delete(allowedUsers).where(eq(allowedUsers.telegramId, telegramId)).returning(),
      );
      return isDone ? 'done' : 'already';
    },
    note: (action) => noteAction(db, { ...action, createdAt: now() }),
    listActions: (limit) => listActions(db, limit),
  };
}
