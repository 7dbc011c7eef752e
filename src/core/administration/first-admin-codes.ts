import { and, desc, eq, gt, lt, notInArray } from 'drizzle-orm';
import { invitations } from '../../database/schema/index.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import type { AdministrationDeps } from './administration.ts';

/** In place of an admin. No account has this id, so the code gives no access as that of an invitation would. */
export const OPERATOR = 0;
const LIFETIME_MS = 3_600_000;
/** Each process makes a code at its start. */
const MAX_CODES = 10;

/** Codes by which the first user of an open bot becomes its admin. The operator reads them on the terminal. */
export function createFirstAdminCodes({ db, clock }: Pick<AdministrationDeps, 'db' | 'clock'>) {
  const ofOperator = eq(invitations.createdBy, OPERATOR);
  const now = () => new Date(clock.now());
  return {
    /** Creates a code, which works once and for an hour. It can't be read again. */
    create: (): Promise<string> =>
      db.transaction(async (tx) => {
        const code = createSecret();
        await tx.delete(invitations).where(and(ofOperator, lt(invitations.expiresAt, now())));
        const newest = tx.select({ id: invitations.id }).from(invitations).where(ofOperator);
        const kept = newest.orderBy(desc(invitations.id)).limit(MAX_CODES - 1);
        await tx.delete(invitations).where(and(ofOperator, notInArray(invitations.id, kept)));
        await tx.insert(invitations).values({
          ...{ hash: hashSecret(code), createdBy: OPERATOR, maxUses: 1, createdAt: now() },
          expiresAt: new Date(clock.now() + LIFETIME_MS),
        });
        return code;
      }),
    /** Uses a code up, and with it all others. @returns false if it is unknown, used or has ended */
    redeem: (code: string): Promise<boolean> =>
      db.transaction(async (tx) => {
        const isUsable = and(ofOperator, eq(invitations.hash, hashSecret(code)), gt(invitations.expiresAt, now()));
        const used = await tx.delete(invitations).where(isUsable).returning();
        if (used.length > 0) await tx.delete(invitations).where(ofOperator);
        return used.length > 0;
      }),
  };
}
