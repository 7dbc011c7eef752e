import { and, asc, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { allowedUsers, bans, users } from '../../database/schema/index.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** A user as admins see it. */
export interface ManagedUser {
  readonly id: number;
  readonly telegramId: number | undefined;
  readonly role: 'user' | 'admin';
  /** Name of the plan that applies. */
  readonly plan: string;
  /** Plan set by an admin; undefined: the default plan. */
  readonly assignedPlan: string | undefined;
  readonly isBanned: boolean;
  /** Whether the user may use the service: always true for admins, false for banned users. */
  readonly isAdmitted: boolean;
  readonly isReachable: boolean;
  readonly createdAt: Date;
}

export interface UserFilter {
  readonly plan?: string | undefined;
  readonly role?: 'user' | 'admin' | undefined;
  readonly isBanned?: boolean | undefined;
  readonly telegramId?: number | undefined;
}

/** Configuration that decides about roles and access. Read at each call. */
export interface AccessRules {
  readonly adminIds: readonly number[];
  /** Empty: all users are allowed. */
  readonly allowedIds: readonly number[];
}

/** Lists the users that a filter matches, by id. */
export async function listUsers(
  db: Database,
  rules: AccessRules,
  filter: UserFilter,
  { limit, after }: PageRequest,
): Promise<Page<ManagedUser>> {
  const rows = await selectUsers(db, rules)
    .where(and(...toConditions(rules, filter), after && gt(users.id, Number(after[0]))))
    .orderBy(asc(users.id))
    .limit(limit + 1);
  return toPage(rows, limit, { toItem: (row) => toManagedUser(rules, row), toKey: ({ id }) => [id] });
}

export async function findManagedUser(db: Database, rules: AccessRules, id: number): Promise<ManagedUser | undefined> {
  const [row] = await selectUsers(db, rules).where(eq(users.id, id));
  return row && toManagedUser(rules, row);
}

const isAdmin = ({ adminIds }: AccessRules) =>
  sql<boolean>`coalesce(${users.telegramId} = any(${toBigintArray(adminIds)}), false)`;
/** Name of the plan that applies to a user, in SQL. */
export const planOf = (rules: AccessRules) =>
  sql<string>`coalesce(${users.plan}, case when ${isAdmin(rules)} then 'admin' else 'free' end)`;

function toConditions(rules: AccessRules, { plan, role, isBanned, telegramId }: UserFilter): (SQL | undefined)[] {
  return [
    plan === undefined ? undefined : eq(planOf(rules), plan),
    role === undefined ? undefined : sql`${isAdmin(rules)} = ${role === 'admin'}`,
    isBanned === undefined ? undefined : isBanned ? isNotNull(bans.telegramId) : isNull(bans.telegramId),
    telegramId === undefined ? undefined : eq(users.telegramId, telegramId),
  ];
}

function selectUsers(db: Database, rules: AccessRules) {
  return db
    .select({
      id: users.id,
      telegramId: users.telegramId,
      isAdmin: isAdmin(rules),
      plan: planOf(rules),
      assignedPlan: users.plan,
      bannedId: bans.telegramId,
      allowedId: allowedUsers.telegramId,
      unreachableSince: users.unreachableSince,
      createdAt: users.createdAt,
    })
    .from(users)
    .leftJoin(bans, eq(bans.telegramId, users.telegramId))
    .leftJoin(allowedUsers, eq(allowedUsers.telegramId, users.telegramId));
}

type Row = Awaited<ReturnType<typeof selectUsers>>[number];

function toManagedUser({ allowedIds }: AccessRules, row: Row): ManagedUser {
  const isAllowed = allowedIds.length === 0 || row.allowedId !== null || allowedIds.includes(row.telegramId ?? 0);
  return {
    id: row.id,
    telegramId: row.telegramId ?? undefined,
    role: row.isAdmin ? 'admin' : 'user',
    plan: row.plan,
    assignedPlan: row.assignedPlan ?? undefined,
    isBanned: row.bannedId !== null,
    isAdmitted: row.isAdmin || (row.bannedId === null && isAllowed),
    isReachable: row.unreachableSince === null,
    createdAt: row.createdAt,
  };
}
