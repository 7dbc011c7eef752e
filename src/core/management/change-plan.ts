import { eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ChangeOptions, carryOut } from './carry-out.ts';
import { type AccessRules, findListedUser, type ListedUser } from './user-directory.ts';

/**
 * Puts a user on a plan, within a second.
 * @param plan undefined: the default plan.
 * @returns undefined if there is no such user.
 */
export function changePlan(
  deps: { readonly db: Database; readonly clock: Clock; readonly rules: AccessRules },
  { userId, ...options }: ChangeOptions<ListedUser> & { readonly userId: number },
  plan: string | undefined,
): Promise<ListedUser | undefined> {
  return carryOut(deps, options, {
    async read(tx) {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
      return findListedUser(tx, deps.rules, userId);
    },
    async change(tx, current) {
      await tx
        .update(users)
        .set({ plan: plan ?? null })
        .where(eq(users.id, userId));
      const result = (await findListedUser(tx, deps.rules, userId)) ?? current;
      const subject = `${current.telegramId ?? `user:${userId}`}`;
      return { result, entry: { action: 'plan', subject, reason: result.plan } };
    },
  });
}
