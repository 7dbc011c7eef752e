import { inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { contains } from '../../database/expressions.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { toUserName } from '../accounts/index.ts';
import type { AccessRules } from './access-rules.ts';

type Names = Pick<typeof users.$inferSelect, 'note' | 'name' | 'username'>;

/** Name of the owner of the universal key, which belongs to no user. */
export const UNIVERSAL_KEY_NAME = 'Universal key';

/** Condition that a row of users only owns the universal key. */
export const ownsUniversalKey = sql<boolean>`(${users.telegramId} is null and exists (select 1 from ${apiKeys} where ${apiKeys.userId} = ${users.id} and ${apiKeys.isUniversal}))`;

/** Returns what admins call a user. Names that were stored until the operator has switched that off do not count. */
export function toShownUserName({ storesNames }: AccessRules, names: Names): string | undefined {
  return toUserName(storesNames ? names : { note: names.note });
}

/** Returns the condition that the note, name or username of a user has the text, in any case. */
export function hasName({ storesNames }: AccessRules, search: string): SQL | undefined {
  const text = search.replace(/^@/, '');
  return or(
    contains(users.note, search),
    ...(storesNames ? [contains(users.name, text), contains(users.username, text)] : []),
  );
}

/** Returns the names of Telegram accounts, by their id. */
export async function findNames(
  db: Database,
  rules: AccessRules,
  telegramIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await select(db, telegramIds, inArray(users.telegramId, [...new Set(telegramIds)]));
  return new Map(rows.flatMap((row) => toEntry(rules, row.telegramId ?? 0, row)));
}

/** Returns the names of users, by their id. */
export async function findUserNames(
  db: Database,
  rules: AccessRules,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await select(db, userIds, inArray(users.id, [...new Set(userIds)]));
  return new Map(rows.flatMap((row) => toEntry(rules, row.id, row)));
}

async function select(db: Database, ids: readonly number[], condition: SQL) {
  if (ids.length === 0) return [];
  const { id, telegramId, note, name, username } = users;
  return db
    .select({ id, telegramId, note, name, username, isUniversal: ownsUniversalKey })
    .from(users)
    .where(condition);
}

function toEntry(rules: AccessRules, id: number, names: Names & { readonly isUniversal: boolean }): [number, string][] {
  const name = names.isUniversal ? UNIVERSAL_KEY_NAME : toShownUserName(rules, names);
  return name === undefined ? [] : [[id, name]];
}
