import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { allowedUsers, bans, groupAdmissions, groups } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { createLookup } from '../../lib/async/batch-loader.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AdminAction, listActions, recordAction } from './audit-log.ts';
import { closeRequest } from './close-request.ts';
import { isAdmittedBy, MEMBERSHIP_MS } from './group-access.ts';

/** An admin's action on a Telegram account. */
export interface AdminActionParams {
  readonly adminTelegramId: number;
  /** API key by which the admin acts; undefined: in the chat or the console. */
  readonly keyId?: number | undefined;
  readonly telegramId: number;
  /** Note for the admins; empty if there is none. */
  readonly reason: string;
}

/** Uploads over HTTP that are allowed: of anyone, of clients with an API key, or none. */
export type UploadAccess = 'anyone' | 'key' | 'off';

/** Access control by Telegram account, and the audit log of admins. */
export type Administration = ReturnType<typeof createAdministration>;

export interface AdministrationDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the admins. Read on every call, so that a reloaded configuration takes effect. */
  readonly adminIds: readonly number[];
  /** Telegram ids of users allowed by the configuration. Empty: all users are allowed. Read on every call. */
  readonly allowedIds: readonly number[];
  /** Uploads that the configuration allows. Default `anyone`. Read on every call. */
  readonly uploads?: UploadAccess | undefined;
  /** Returns whether an account is a member of a group that admits its members. Default: there are no such groups. */
  readonly isGroupMember?: ((telegramId: number) => Promise<boolean>) | undefined;
}

/**
 * Creates access control. `admit` reads the database every time, so that changes take effect in all processes at once.
 */
export function createAdministration(deps: AdministrationDeps) {
  const { db, clock } = deps;
  const isAdmin = (telegramId: number) => deps.adminIds.includes(telegramId);
  const isNamed = (telegramId: number) => isAdmin(telegramId) || deps.allowedIds.includes(telegramId);
  const isPrivate = () => deps.allowedIds.length > 0;
  const now = () => new Date(clock.now());
  const findLists = createLookup(async (telegramIds: readonly number[]) => {
    const ids = sql`any(${toBigintArray(telegramIds)})`;
    const asList = (list: 'banned' | 'allowed') => sql<'banned' | 'allowed'>`${list}::text`.as('list');
    const listOf = (table: typeof bans | typeof allowedUsers, list: 'banned' | 'allowed') =>
      db
        .select({ telegramId: table.telegramId, list: asList(list) })
        .from(table)
        .where(sql`${table.telegramId} = ${ids}`);
    const isFresh = gt(groupAdmissions.checkedAt, new Date(clock.now() - MEMBERSHIP_MS));
    const members = db
      .select({ telegramId: groupAdmissions.telegramId, list: asList('allowed') })
      .from(groupAdmissions)
      .innerJoin(groups, eq(groups.chatId, groupAdmissions.chatId))
      .where(and(sql`${groupAdmissions.telegramId} = ${ids}`, isAdmittedBy(deps.adminIds), isFresh));
    const rows = await listOf(bans, 'banned').unionAll(listOf(allowedUsers, 'allowed')).unionAll(members);
    const lists = Map.groupBy(rows, ({ telegramId }) => telegramId);
    return new Map([...lists].map(([telegramId, of]) => [telegramId, of.map(({ list }) => list)]));
  });
  /** Applies a change and adds it to the audit log in one transaction. */
  const changeAudited = (
    action: AdminAction['action'],
    options: AdminActionParams,
    change: (tx: Database) => Promise<readonly unknown[]>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      if ((await change(tx)).length === 0) return false;
      const { adminTelegramId, keyId, reason, telegramId } = options;
      const state = action === 'ban' ? 'blocked' : action === 'allow' ? 'allowed' : undefined;
      if (state) await closeRequest(tx, { telegramId, adminTelegramId, state, decidedAt: now() });
      await recordAction(tx, {
        adminTelegramId,
        keyId,
        action,
        subject: `${telegramId}`,
        reason,
        createdAt: now(),
      });
      return true;
    });

  return {
    /** Telegram ids of the admins in the current configuration. */
    get adminIds() {
      return deps.adminIds;
    },
    /** Whether only admins and users on the allow list may use the service. */
    get isPrivate() {
      return isPrivate();
    },
    /** Uploads over HTTP that are allowed. A private service needs a key. */
    get uploads(): UploadAccess {
      const { uploads = 'anyone' } = deps;
      return uploads === 'anyone' && isPrivate() ? 'key' : uploads;
    },
    /** Checks whether an account may use the service. Admins always may. */
    async admit(telegramId: number): Promise<'welcome' | 'banned' | 'stranger'> {
      // Ids are looked up in batches: an invalid one would fail the lookups of others as well.
      if (!Number.isSafeInteger(telegramId)) throw new TypeError('Telegram ids are whole numbers');
      if (isAdmin(telegramId)) return 'welcome';
      const lists = await findLists(telegramId);
      if (lists?.includes('banned')) return 'banned';
      if (!isPrivate() || lists?.includes('allowed') || isNamed(telegramId)) return 'welcome';
      return (await deps.isGroupMember?.(telegramId)) ? 'welcome' : 'stranger';
    },
    /**
     * Bans an account.
     * @returns `admin` if the account is an admin, which can't be banned; `already` if it was banned before.
     */
    async ban(options: AdminActionParams): Promise<'done' | 'already' | 'admin'> {
      const { telegramId } = options;
      if (isAdmin(telegramId)) return 'admin';
      const values = { telegramId, reason: toStorableText(options.reason), createdAt: now() };
      const isDone = await changeAudited('ban', options, (tx) =>
        tx.insert(bans).values(values).onConflictDoNothing().returning(),
      );
      return isDone ? 'done' : 'already';
    },
    /**
     * Lifts a ban.
     * @returns false if there was none.
     */
    unban: (options: AdminActionParams): Promise<boolean> =>
      changeAudited('unban', options, (tx) =>
        tx.delete(bans).where(eq(bans.telegramId, options.telegramId)).returning(),
      ),
    /**
     * Adds an account to the allow list of a private service.
     * @returns false if it is on the list already.
     */
    async allow(options: AdminActionParams): Promise<boolean> {
      const { telegramId } = options;
      if (isNamed(telegramId)) return false;
      const values = { telegramId, createdAt: now() };
      return changeAudited('allow', options, (tx) =>
        tx.insert(allowedUsers).values(values).onConflictDoNothing().returning(),
      );
    },
    /**
     * Removes an account from the allow list.
     * @returns `fixed` if it is an admin or allowed by the configuration; `already` if it was not on the list.
     */
    async disallow(options: AdminActionParams): Promise<'done' | 'already' | 'fixed'> {
      const { telegramId } = options;
      if (isNamed(telegramId)) return 'fixed';
      const isDone = await changeAudited('disallow', options, (tx) =>
        tx.delete(allowedUsers).where(eq(allowedUsers.telegramId, telegramId)).returning(),
      );
      return isDone ? 'done' : 'already';
    },
    /** Adds an action performed elsewhere to the audit log. */
    record: (action: Omit<AdminAction, 'createdAt'>): Promise<void> =>
      recordAction(db, { ...action, createdAt: now() }),
    /** Returns the audit log, newest first. */
    listActions: (limit: number): Promise<readonly AdminAction[]> => listActions(db, limit),
  };
}
