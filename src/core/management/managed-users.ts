import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { allowedUsers, bans, users } from '../../database/schema/index.ts';
import type { AccessRules } from './access-rules.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import { hasName, ownsUniversalKey } from './user-names.ts';

/** A user as admins see it. */
export interface ManagedUser {
  readonly id: number;
  readonly telegramId: number | undefined;
  /** Text of the admins about the user. */
  readonly note: string | undefined;
  /** Name and username as Telegram last showed them; undefined unless names are stored. */
  readonly name: string | undefined;
  readonly username: string | undefined;
  /** Whether this is the owner of the universal key, which belongs to no user. */
  readonly hasUniversalKey: boolean;
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
  /** Text in the note, the name or the username, in any case; or the Telegram id. */
  readonly search?: string | undefined;
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

function toConditions(
  rules: AccessRules,
  { plan, role, isBanned, telegramId, search = '' }: UserFilter,
): (SQL | undefined)[] {
  return [
    plan === undefined ? undefined : eq(planOf(rules), plan),
    role === undefined ? undefined : sql`${isAdmin(rules)} = ${role === 'admin'}`,
    isBanned === undefined ? undefined : isBanned ? isNotNull(bans.telegramId) : isNull(bans.telegramId),
    telegramId === undefined ? undefined : eq(users.telegramId, telegramId),
    search === '' ? undefined : isFound(rules, search),
  ];
}

function isFound(rules: AccessRules, search: string): SQL | undefined {
  return or(hasName(rules, search), sql`${users.telegramId}::text = ${search}`);
}

function selectUsers(db: Database, rules: AccessRules) {
  return db
    .select({
      id: users.id,
      telegramId: users.telegramId,
      note: users.note,
      name: users.name,
      username: users.username,
      hasUniversalKey: ownsUniversalKey,
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

function toManagedUser({ allowedIds, storesNames }: AccessRules, row: Row): ManagedUser {
  const isAllowed = allowedIds.length === 0 || row.allowedId !== null || allowedIds.includes(row.telegramId ?? 0);
  return {
    id: row.id,
    telegramId: row.telegramId ?? undefined,
    note: row.note ?? undefined,
    name: (storesNames && row.name) || undefined,
    username: (storesNames && row.username) || undefined,
    hasUniversalKey: row.hasUniversalKey,
    role: row.isAdmin ? 'admin' : 'user',
    plan: row.plan,
    assignedPlan: row.assignedPlan ?? undefined,
    isBanned: row.bannedId !== null,
    isAdmitted: row.isAdmin || (row.bannedId === null && isAllowed),
    isReachable: row.unreachableSince === null,
    createdAt: row.createdAt,
  };
}
