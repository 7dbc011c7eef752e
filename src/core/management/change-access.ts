import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { allowedUsers, bans, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createAdministration } from '../administration/index.ts';
import type { AccessRules } from './access-rules.ts';
import { type ChangeRequest, changeAudited } from './change-audited.ts';

/** Access of a Telegram account, which need not be a user. */
export interface Access {
  readonly telegramId: number;
  /** Id of the user, if the account has ever written. */
  readonly userId: number | undefined;
  readonly isBanned: boolean;
  /** Note of the admin who banned the account. */
  readonly banReason: string | undefined;
  /** Whether an admin has put the account on the list of a private service. */
  readonly isAllowed: boolean;
  /** Whether the account is an admin or allowed by the configuration, which can't be changed here. */
  readonly isFixed: boolean;
}

/** Changes of the access of an account. Undefined fields stay as they are. */
export interface AccessChanges {
  readonly isBanned?: boolean | undefined;
  readonly isAllowed?: boolean | undefined;
  readonly reason: string;
}

interface AccessDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: AccessRules;
}

export async function readAccess(db: Database, { adminIds, allowedIds }: AccessRules, telegramId: number) {
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.telegramId, telegramId));
  const [ban] = await db.select().from(bans).where(eq(bans.telegramId, telegramId));
  const [allowed] = await db.select().from(allowedUsers).where(eq(allowedUsers.telegramId, telegramId));
  return {
    telegramId,
    userId: user?.id,
    isBanned: ban !== undefined,
    banReason: ban?.reason,
    isAllowed: allowed !== undefined,
    isFixed: adminIds.includes(telegramId) || allowedIds.includes(telegramId),
  } satisfies Access;
}

/** Bans, unbans, allows and disallows an account. Changes take effect within a second. */
export async function changeAccess(
  { db, clock, rules }: AccessDeps,
  { telegramId, ...options }: ChangeRequest<Access> & { readonly telegramId: number },
  { isBanned, isAllowed, reason }: AccessChanges,
): Promise<Access> {
  const changed = await changeAudited({ db, clock }, options, {
    async read(tx) {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`access:${telegramId}`}, 0))`);
      return readAccess(tx, rules, telegramId);
    },
    async change(tx) {
      const { adminIds, allowedIds } = rules;
      const administration = createAdministration({ db: tx, clock, adminIds, allowedIds });
      const { telegramId: adminTelegramId, keyId } = options.manager;
      const action = { adminTelegramId, keyId, telegramId, reason };
      if (isBanned !== undefined) await (isBanned ? administration.ban(action) : administration.unban(action));
      if (isAllowed !== undefined) await (isAllowed ? administration.allow(action) : administration.disallow(action));
      return { result: await readAccess(tx, rules, telegramId) };
    },
  });
  return changed ?? readAccess(db, rules, telegramId);
}
