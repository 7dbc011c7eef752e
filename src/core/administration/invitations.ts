import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { invitations, invitationUses } from '../../database/schema/index.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { type AdministrationDeps, createAdministration } from './administration.ts';
import { assignPlan } from './assign-plan.ts';
import { recordAction } from './audit-log.ts';
import { OPERATOR } from './first-admin-codes.ts';

/** A link that lets accounts into a private service. Its code is not stored. */
export interface Invitation {
  readonly id: number;
  readonly createdBy: number;
  /** Plan of the accounts; undefined: the default plan. */
  readonly plan: string | undefined;
  readonly maxUses: number;
  readonly useCount: number;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** What a link of an invitation is made with. */
export interface InvitationParams {
  readonly adminTelegramId: number;
  readonly keyId?: number | undefined;
  readonly plan: string | undefined;
  readonly maxUses: number;
  readonly lifetimeMs: number;
}

/** Invitations at a time. */
const MAX_INVITATIONS = 100;
export const MAX_INVITATION_USES = 1000;
const DAY_MS = 86_400_000;
export const MAX_INVITATION_LIFETIME_MS = 90 * DAY_MS;

/** Creates links of admins for a private service. */
export function createInvitations(deps: AdministrationDeps) {
  const { db, clock } = deps;
  const now = () => new Date(clock.now());
  const deleteExpired = async (tx: Database) => {
    await tx.delete(invitations).where(lt(invitations.expiresAt, now()));
  };
  return {
    /**
     * Creates an invitation and returns its code, which can't be read again.
     * @returns undefined if there are too many.
     */
    create: ({ adminTelegramId, keyId, plan, maxUses, lifetimeMs }: InvitationParams) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('invitations', 0))`);
        await deleteExpired(tx);
        if ((await tx.$count(invitations)) >= MAX_INVITATIONS) return undefined;
        const code = createSecret();
        const createdAt = now();
        const [row] = await tx
          .insert(invitations)
          .values({
            ...{ hash: hashSecret(code), createdBy: adminTelegramId, plan: plan ?? null, maxUses, createdAt },
            expiresAt: new Date(clock.now() + lifetimeMs),
          })
          .returning();
        if (!row) throw new Error('the invitation was not stored');
        const subject = toSubject(row.id);
        const reason = `${maxUses} × ${plan ?? 'default'}`;
        await recordAction(tx, { adminTelegramId, keyId, action: 'create-invitation', subject, reason, createdAt });
        return { invitation: toInvitation(row), code };
      }),
    /** Lists the invitations that have not ended, newest first. */
    async list(): Promise<readonly Invitation[]> {
      const rows = await db
        .select()
        .from(invitations)
        .where(and(gt(invitations.expiresAt, now()), ne(invitations.createdBy, OPERATOR)))
        .orderBy(desc(invitations.id))
        .limit(MAX_INVITATIONS);
      return rows.map(toInvitation);
    },
    /** Ends an invitation. Accounts that have used it keep their access. @returns false if there is none. */
    revoke: (id: number, { adminTelegramId, keyId }: Pick<InvitationParams, 'adminTelegramId' | 'keyId'>) =>
      db.transaction(async (tx) => {
        const removed = await tx.delete(invitations).where(eq(invitations.id, id)).returning();
        if (removed.length === 0) return false;
        const entry = { subject: toSubject(id), reason: '', createdAt: now() };
        await recordAction(tx, { ...entry, adminTelegramId, keyId, action: 'revoke-invitation' });
        return true;
      }),
    /**
     * Lets an account in by the code of an invitation.
     * @returns false if the code is unknown, has ended or is used up, the account has used it before, or the one who made
     * it is no admin any more.
     */
    redeem: (code: string, telegramId: number): Promise<boolean> =>
      db.transaction(async (tx) => {
        const isUsable = and(eq(invitations.hash, hashSecret(code)), gt(invitations.expiresAt, now()));
        const [row] = await tx.select().from(invitations).where(isUsable).for('update');
        if (!row || row.useCount >= row.maxUses || !deps.adminIds.includes(row.createdBy)) return false;
        const used = await tx
          .insert(invitationUses)
          .values({ invitationId: row.id, telegramId })
          .onConflictDoNothing()
          .returning();
        if (used.length === 0) return false;
        await tx
          .update(invitations)
          .set({ useCount: row.useCount + 1 })
          .where(eq(invitations.id, row.id));
        const { adminIds, allowedIds } = deps;
        const action = { adminTelegramId: row.createdBy, telegramId, reason: toSubject(row.id) };
        await createAdministration({ db: tx, clock, adminIds, allowedIds }).allow(action);
        if (row.plan !== null) await assignPlan(tx, { ...action, plan: row.plan, createdAt: now() });
        return true;
      }),
    /** Deletes invitations that have expired, with their uses. */
    sweep: () => deleteExpired(db),
  };
}

/** Name of an invitation in the audit log. */
function toSubject(id: number): string {
  return `invitation:${id}`;
}

function toInvitation(row: typeof invitations.$inferSelect): Invitation {
  const { id, createdBy, plan, maxUses, useCount, expiresAt, createdAt } = row;
  return { id, createdBy, plan: plan ?? undefined, maxUses, useCount, expiresAt, createdAt };
}
