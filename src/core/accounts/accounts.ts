import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { toStorableJson } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/ids.ts';
import { createLookup } from '../../lib/lookup.ts';
import { createKeyCache } from './key-cache.ts';

/** Somebody who uses the service: in Telegram, by an API key, or both. `id` is the `user` of API answers. */
export interface User {
  readonly id: number;
  readonly telegramId: number | undefined;
  readonly role: 'user' | 'admin';
  /** Name of the plan: the one that an admin gave, else `admin` or `free`. */
  readonly plan: string;
  readonly settings: UserSettings;
  /** False where the person's private chat takes no messages of the bot, as far as is known. */
  readonly isReachable: boolean;
}

/** What a person chose. A missing field means the default. */
export interface UserSettings {
  /** Public name of the chat model. */
  readonly model?: string | undefined;
  /** Public name of the image model. */
  readonly imageModel?: string | undefined;
  /** Given to the model in every conversation that has no instructions and no persona of its own. */
  readonly systemPrompt?: string | undefined;
  /** Whether the bot shows what models think before they answer. Default true. */
  readonly showsReasoning?: boolean | undefined;
  /** The persona of such conversations, where there is no `systemPrompt`: as conversations name it. */
  readonly persona?: string | undefined;
  /** How freely models answer; unset: as they do by themselves. */
  readonly creativity?: 'precise' | 'balanced' | 'creative' | undefined;
  /** Unset: as models do by themselves. */
  readonly answerLength?: 'short' | 'detailed' | undefined;
  /** Language of the bot's own texts, as Telegram names it (`en`, `ru`); unset follows Telegram's language of the person. */
  readonly language?: string | undefined;
  /**
   * How answers show while they are being written in private chats: `edits` (default) in messages that grow, `drafts` in Telegram's
   * native drafts, `whole` not before they are finished.
   */
  readonly streaming?: 'edits' | 'drafts' | 'whole' | undefined;
  /** Whether tables and formulas show as Telegram's own where it can. False: as text. Default true. */
  readonly hasRichMessages?: boolean | undefined;
  /** Which answers are read aloud as well, in private chats; unset: none. */
  readonly voiceReplies?: 'to-voice' | 'always' | undefined;
  /** Whether answers have 👍 and 👎 below them. Default true. */
  readonly feedbackButtons?: boolean | undefined;
  /** False: models answer without tools. Default true. */
  readonly hasTools?: boolean | undefined;
}

/** Who stands behind an API key. */
export interface ApiKeyIdentity {
  readonly userId: number;
  readonly keyId: number;
  /** Name of the owner's plan; `universal` for the shared key. */
  readonly plan: string;
}

export interface Accounts {
  /** The owner of an API key; undefined for unknown and revoked keys, and for those of people who may not use the service. A change of keys shows within a second. */
  findByApiKey(secret: string): Promise<ApiKeyIdentity | undefined>;
  /** The person behind a Telegram account, made at the first contact. */
  ensureTelegramUser(telegramId: number): Promise<User>;
  findUser(userId: number): Promise<User | undefined>;
  findTelegramUser(telegramId: number): Promise<User | undefined>;
  /** Notes whether the private chat of a Telegram account takes messages of the bot. Nobody is made for it. */
  noteReachability(telegramId: number, isReachable: boolean): Promise<void>;
  /** Name of a person's plan. A change shows within a second. */
  findPlan(userId: number): Promise<string>;
  /** Puts a person on a plan; undefined: on the one that everybody has. */
  setPlan(userId: number, plan: string | undefined): Promise<User>;
  /** Changes the named fields; `undefined` returns a field to its default. */
  updateSettings(userId: number, changes: UserSettings): Promise<User>;
}

export interface AccountsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the people who run this service. Looked at with every question: others may take their place. */
  readonly adminIds: readonly number[];
  /** Whether the keys of a Telegram account may be used. Default: all may. */
  readonly isAdmitted?: ((telegramId: number) => Promise<boolean>) | undefined;
}

type UserRow = typeof users.$inferSelect;

/** People and their keys, in the database. Keys are looked up by their SHA-256, so no comparison tells anything by its time. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { db } = deps;
  // Asked by every request of the API: a question to the database costs more than all the rest of a request.
  const findKey = createLookup(async (hashes: readonly string[]) => {
    const { id: keyId, hash, isUniversal } = apiKeys;
    const { id: userId, telegramId, plan } = users;
    const rows = await db
      .select({ keyId, hash, isUniversal, userId, telegramId, plan })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      // One parameter for all of them: hashes are hexadecimal.
      .where(and(sql`${hash} = any(string_to_array(${hashes.join(',')}, ','))`, isNull(apiKeys.revokedAt)));
    return new Map(rows.map((row) => [row.hash, row]));
  });
  // Asked by every update of the bot.
  const findTelegramRow = createLookup(async (telegramIds: readonly number[]) => {
    const rows = await db
      .select()
      .from(users)
      .where(sql`${users.telegramId} = any(${toBigintArray(telegramIds)})`);
    return new Map(rows.map((row) => [row.telegramId ?? 0, row]));
  });
  const findByHash = createKeyCache<ApiKeyIdentity>(deps, async (hash) => {
    const row = await findKey(hash);
    if (!row) return undefined;
    const { keyId, userId, telegramId } = row;
    if (telegramId !== null && (await deps.isAdmitted?.(telegramId)) === false) return undefined;
    return { keyId, userId, plan: row.plan ?? (row.isUniversal ? 'universal' : toPlan(row)) };
  });
  const findPlan = createKeyCache<string>(deps, async (userId) => {
    const [row] = await db
      .select()
      .from(users)
      .where(eq(users.id, Number(userId)));
    return row && toPlan(row);
  });
  // The list counts, not what was true when the person wrote last.
  const isAdmin = (telegramId: number | null) => telegramId !== null && deps.adminIds.includes(telegramId);
  const toPlan = (row: Pick<UserRow, 'plan' | 'telegramId'>) =>
    row.plan ?? (isAdmin(row.telegramId) ? 'admin' : 'free');
  const toUser = (row: UserRow | undefined): User => {
    if (!row) throw new Error('This person does not exist');
    const { id, role, settings } = row;
    const isReachable = row.unreachableSince === null;
    return { id, telegramId: row.telegramId ?? undefined, role, plan: toPlan(row), settings, isReachable };
  };
  return {
    findByApiKey: (secret) => findByHash(hashSecret(secret)),
    async ensureTelegramUser(telegramId) {
      const role = deps.adminIds.includes(telegramId) ? ('admin' as const) : ('user' as const);
      const known = await findTelegramRow(telegramId);
      if (known && known.role === role) return toUser(known);
      const [row] = await db
        .insert(users)
        .values({ telegramId, role })
        .onConflictDoUpdate({ target: users.telegramId, set: { role } })
        .returning();
      return toUser(row);
    },
    async findUser(userId) {
      const [row] = await db.select().from(users).where(eq(users.id, userId));
      return row && toUser(row);
    },
    async findTelegramUser(telegramId) {
      const row = await findTelegramRow(telegramId);
      return row && toUser(row);
    },
    async noteReachability(telegramId, isReachable) {
      const isNews = isReachable ? isNotNull(users.unreachableSince) : isNull(users.unreachableSince);
      await db
        .update(users)
        .set({ unreachableSince: isReachable ? null : new Date(deps.clock.now()) })
        .where(and(eq(users.telegramId, telegramId), isNews));
    },
    findPlan: async (userId) => (await findPlan(String(userId))) ?? 'free',
    async setPlan(userId, plan) {
      const [row] = await db
        .update(users)
        .set({ plan: plan ?? null })
        .where(eq(users.id, userId))
        .returning();
      return toUser(row);
    },
    async updateSettings(userId, changes) {
      const removed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [field] : []));
      // One statement, so that two changes at once both count. JSON leaves undefined fields out.
      const settings = sql`(${users.settings} || ${toStorableJson(changes)}::jsonb) - ${sql`array[${sql.join(
        removed.map((field) => sql`${field}`),
        sql`, `,
      )}]::text[]`}`;
      const [row] = await db.update(users).set({ settings }).where(eq(users.id, userId)).returning();
      return toUser(row);
    },
  };
}
