import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { KeyPolicy } from './key-policy.ts';

/** Rules of a key that only admins change once an admin has set them. */
export const ADMIN_RULES = [
  ...(['expiresAt', 'allowedModels', 'requestsPerMinute', 'tokensPerDay', 'atOnce'] as const),
  ...(['pause', 'budget'] as const),
] as const;
export type AdminRule = (typeof ADMIN_RULES)[number];

/** Thrown when the owner of a key changes what an admin has set for it. */
export class SetByAdminError extends Error {
  override readonly name = 'SetByAdminError';
  readonly rules: readonly AdminRule[];

  constructor(rules: readonly AdminRule[]) {
    super('An admin has set this for the API key. Only admins change it.');
    this.rules = rules;
  }
}

/** Returns the rules that a change sets, and those that it removes. */
export function toRuleMarks(policy: Partial<KeyPolicy>, isPaused?: boolean | undefined): RuleMarks {
  const changed = ADMIN_RULES.flatMap((rule): [AdminRule, boolean][] => {
    if (rule === 'budget') return [];
    if (rule === 'pause') return isPaused === undefined ? [] : [[rule, isPaused]];
    return Object.hasOwn(policy, rule) ? [[rule, policy[rule] !== undefined]] : [];
  });
  return {
    set: changed.flatMap(([rule, isSet]) => (isSet ? [rule] : [])),
    removed: changed.flatMap(([rule, isSet]) => (isSet ? [] : [rule])),
  };
}

interface RuleMarks {
  readonly set: readonly AdminRule[];
  readonly removed: readonly AdminRule[];
}

/** Stores which rules of a key an admin has set or removed. */
export async function markAdminRules(db: Database, keyId: number, { set, removed }: RuleMarks): Promise<void> {
  if (set.length + removed.length === 0) return;
  const changed = sql.param([...set, ...removed], apiKeys.adminRules);
  const added = sql.param([...set], apiKeys.adminRules);
  const others = sql`select rule from unnest(${apiKeys.adminRules}) as rule where rule <> all(${changed}::text[])`;
  await db
    .update(apiKeys)
    .set({ adminRules: sql`array(${others}) || ${added}::text[]` })
    .where(eq(apiKeys.id, keyId));
}
