import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { toStorableJson, toStorableText } from '../../database/storable.ts';
import { createLookup } from '../../lib/async/batch-loader.ts';
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/ids.ts';
import { createKeyCache } from './key-cache.ts';
import { type ApiKeyIdentity, checkKey, type KnownKey } from './key-identity.ts';

/** A user of the service, in Telegram, by an API key, or both. `id` is the `user` of API responses. */
export interface User {
  readonly id: number;
  readonly telegramId: number | undefined;
  readonly role: 'user' | 'admin';
  /** Plan name: set by an admin, otherwise `admin` or `free`. */
  readonly plan: string;
  readonly settings: UserSettings;
  /** Text of the admins about the user. */
  readonly note?: string | undefined;
  /** Name and username as Telegram last showed them; undefined unless names are stored. */
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  /** False if the bot is known to be unable to write to the user's private chat, e.g. because it is blocked. */
  readonly isReachable: boolean;
}

/** Settings of a user. A missing field means the default. */
export interface UserSettings {
  readonly model?: string | undefined;
  readonly imageModel?: string | undefined;
  /** Chat models that the user compares, in the order of their answers. */
  readonly comparedModels?: readonly string[] | undefined;
  /** System prompt of conversations that have no instructions and no persona of their own. */
  readonly systemPrompt?: string | undefined;
  /** Whether the bot shows the model's reasoning. Default true. */
  readonly showsReasoning?: boolean | undefined;
  /** Key of the persona of such conversations, if there is no `systemPrompt`. */
  readonly persona?: string | undefined;
  /** Preset of sampling parameters; unset: the model's defaults. */
  readonly creativity?: 'precise' | 'balanced' | 'creative' | undefined;
  /** Unset: the model's default length. */
  readonly answerLength?: 'short' | 'detailed' | undefined;
  /** Language of the bot's own texts as an IETF tag (`en`, `ru`); unset: Telegram's language of the user. */
  readonly language?: string | undefined;
  /**
   * Display of unfinished answers in private chats: `edits` (default) edits messages, `drafts` uses Telegram's message
   * drafts, `whole` shows finished answers only.
   */
  readonly streaming?: 'edits' | 'drafts' | 'whole' | undefined;
  /** Whether tables and formulas are sent as Telegram's rich messages where supported. Default true. */
  readonly hasRichMessages?: boolean | undefined;
  /** Answers that are also sent as voice messages in private chats; unset: none. */
  readonly voiceReplies?: 'to-voice' | 'always' | undefined;
  readonly feedbackButtons?: boolean | undefined;
  /** IANA name of the time zone that the user has chosen; unset: a guess. */
  readonly timeZone?: string | undefined;
  /** Time zone guessed from the languages of the user, as last used; unset: none was needed yet. */
  readonly guessedTimeZone?: string | undefined;
  /** Summary of each month that an admin gets; unset: none. */
  readonly monthlySummary?:
    | {
        /** Month of the last summary that was sent, or before which they were asked for: `2026-10`. */
        readonly sentMonth: string;
        /** Language of the summary, e.g. `en`. */
        readonly language: string;
      }
    | undefined;
  /** Whether models may call tools. Default true. */
  readonly hasTools?: boolean | undefined;
  /** Whether models remember things about the user in private chats. Default true. */
  readonly hasMemory?: boolean | undefined;
}

/** Maximum length of a user's system prompt; leaves space for a heading in the message that shows it. */
export const MAX_SYSTEM_PROMPT_CHARACTERS = 4000;

/** Returns what admins call a user: the note, else the name, else the username; undefined if none is stored. */
export function toUserName({ note, name, username }: StoredNames): string | undefined {
  return note ?? name ?? (username ? `@${username}` : undefined);
}

type StoredNames = { readonly [field in 'note' | 'name' | 'username']?: string | null | undefined };

/** Telegram's limit of a first and a last name together is 128. */
const MAX_NAME_CHARACTERS = 130;

function cutText(text: string, maxCharacters: number): string {
  return Array.from(toStorableText(text)).slice(0, maxCharacters).join('');
}

/** Users, and the owners of API keys. */
export type Accounts = ReturnType<typeof createAccounts>;

export interface AccountsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the admins. Read on every call, so that a reloaded configuration takes effect. */
  readonly adminIds: readonly number[];
  /** Whether names of Telegram are stored. Read on every call. Default false. */
  readonly storesNames?: boolean | undefined;
  /** Returns whether the API keys of a Telegram account may be used. Default: always. */
  readonly isAdmitted?: ((telegramId: number) => Promise<boolean>) | undefined;
}

type UserRow = typeof users.$inferSelect;

interface FoundKey {
  readonly key: KnownKey;
  readonly owner: Pick<UserRow, 'telegramId' | 'plan'> & { readonly userId: number };
}

/** Reads and changes users. Keys are looked up by their SHA-256, which prevents timing attacks on the comparison. */
export function createAccounts(deps: AccountsDeps) {
  const { db } = deps;
  const keyRows = () => {
    const { id: userId, telegramId, plan } = users;
    return db
      .select({ key: apiKeys, owner: { userId, telegramId, plan } })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId));
  };
  // Called on every API request: batching saves the most expensive part, the database round trip.
  const findKey = createLookup(async (hashes: readonly string[]) => {
    // A single parameter for all hashes: they are hexadecimal and contain no commas.
    const isAsked = (column: PgColumn) => sql`${column} = any(string_to_array(${hashes.join(',')}, ','))`;
    const rows = await keyRows().where(
      and(or(isAsked(apiKeys.hash), isAsked(apiKeys.previousHash)), isNull(apiKeys.revokedAt)),
    );
    return new Map([
      ...rows.map((row) => [row.key.previousHash ?? '', row] as const),
      ...rows.map((row) => [row.key.hash, row] as const),
    ]);
  });
  // Called on every update of the bot.
  const findTelegramRow = createLookup(async (telegramIds: readonly number[]) => {
    const rows = await db
      .select()
      .from(users)
      .where(sql`${users.telegramId} = any(${toBigintArray(telegramIds)})`);
    return new Map(rows.map((row) => [row.telegramId ?? 0, row]));
  });
  const isAdmitted = async ({ owner: { telegramId } }: FoundKey) =>
    telegramId === null || (await deps.isAdmitted?.(telegramId)) !== false;
  const keyCache = createKeyCache<FoundKey>(deps, async (hash) => {
    const row = await findKey(hash);
    return row && (await isAdmitted(row)) ? row : undefined;
  });
  const planCache = createKeyCache<string>(deps, async (userId) => {
    const [row] = await db
      .select()
      .from(users)
      .where(eq(users.id, Number(userId)));
    return row && toPlan(row);
  });
  // The configuration decides, not the role stored at the last contact.
  const isAdmin = (telegramId: number | null) => telegramId !== null && deps.adminIds.includes(telegramId);
  const toPlan = (row: Pick<UserRow, 'plan' | 'telegramId'>) =>
    row.plan ?? (isAdmin(row.telegramId) ? 'admin' : 'free');
  /** @throws KeyRefusedError */
  const toIdentity = ({ key, owner }: FoundKey, hash: string): ApiKeyIdentity | undefined => {
    const policy = checkKey(key, hash, deps.clock.now());
    if (!policy) return undefined;
    const { userId, telegramId } = owner;
    return {
      userId,
      telegramId: telegramId ?? undefined,
      isAdmin: isAdmin(telegramId),
      keyId: key.id,
      scope: key.scope,
      plan: owner.plan ?? (key.isUniversal ? 'universal' : toPlan(owner)),
      policy,
    };
  };
  const toUser = (row: UserRow | undefined): User => {
    if (!row) throw new Error('This user does not exist');
    const { id, role, settings } = row;
    return {
      id,
      telegramId: row.telegramId ?? undefined,
      role,
      plan: toPlan(row),
      settings,
      note: row.note ?? undefined,
      name: (deps.storesNames && row.name) || undefined,
      username: (deps.storesNames && row.username) || undefined,
      isReachable: row.unreachableSince === null,
    };
  };
  return {
    /**
     * Returns the owner and the rules of an API key; undefined for unknown and revoked keys, and for keys of users who may
     * not use the service. Changes take effect within a second.
     * @throws KeyRefusedError for expired and paused keys.
     */
    async findByApiKey(secret: string): Promise<ApiKeyIdentity | undefined> {
      const hash = hashSecret(secret);
      const found = await keyCache.find(hash);
      // Outside of the cache, so that a key ends at the exact moment.
      return found && toIdentity(found, hash);
    },
    /** Returns the same for a key that was found before, whichever of its secrets was used then. Throws the same. */
    async findByKeyId(keyId: number): Promise<ApiKeyIdentity | undefined> {
      const [row] = await keyRows().where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
      return row && (await isAdmitted(row)) ? toIdentity(row, row.key.hash) : undefined;
    },
    /** Returns the user of a Telegram account and creates it on first contact. */
    async ensureTelegramUser(telegramId: number): Promise<User> {
      const role = deps.adminIds.includes(telegramId) ? ('admin' as const) : ('user' as const);
      const existing = await findTelegramRow(telegramId);
      if (existing && existing.role === role) return toUser(existing);
      const [row] = await db
        .insert(users)
        .values({ telegramId, role })
        .onConflictDoUpdate({ target: users.telegramId, set: { role } })
        .returning();
      return toUser(row);
    },
    async findUser(userId: number): Promise<User | undefined> {
      const [row] = await db.select().from(users).where(eq(users.id, userId));
      return row && toUser(row);
    },
    async findTelegramUser(telegramId: number): Promise<User | undefined> {
      const row = await findTelegramRow(telegramId);
      return row && toUser(row);
    },
    /** Whether names and usernames of Telegram are stored. */
    get storesNames() {
      return deps.storesNames ?? false;
    },
    /** Stores the name and username of a user as Telegram shows them, if names are stored and it has changed. */
    async recordName(
      user: User,
      shown: { readonly name: string; readonly username: string | undefined },
    ): Promise<void> {
      const name = cutText(shown.name, MAX_NAME_CHARACTERS);
      const username = cutText(shown.username ?? '', MAX_NAME_CHARACTERS);
      if (!deps.storesNames || (user.name === (name || undefined) && user.username === (username || undefined))) return;
      await db
        .update(users)
        .set({ name: name || null, username: username || null })
        .where(eq(users.id, user.id));
    },
    /** Stores whether the bot can write to the private chat of a Telegram account. Creates no user. */
    async recordReachability(telegramId: number, isReachable: boolean): Promise<void> {
      const isNews = isReachable ? isNotNull(users.unreachableSince) : isNull(users.unreachableSince);
      await db
        .update(users)
        .set({ unreachableSince: isReachable ? null : new Date(deps.clock.now()) })
        .where(and(eq(users.telegramId, telegramId), isNews));
    },
    /** Returns the name of a user's plan. Changes take effect within a second, those of `setPlan` at once in this process. */
    findPlan: async (userId: number): Promise<string> => (await planCache.find(String(userId))) ?? 'free',
    /** Sets the plan of a user and of their API keys; undefined: the default plan. */
    async setPlan(userId: number, plan: string | undefined): Promise<User> {
      const [row] = await db
        .update(users)
        .set({ plan: plan ?? null })
        .where(eq(users.id, userId))
        .returning();
      // All entries, because keys are found by their hashes. Admins rarely change plans.
      planCache.clear();
      keyCache.clear();
      return toUser(row);
    },
    /** Changes the given fields; `undefined` resets a field to its default. */
    async updateSettings(userId: number, changes: UserSettings): Promise<User> {
      const removed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [field] : []));
      // One statement, so that concurrent changes don't overwrite each other. JSON omits undefined fields.
      const settings = sql`(${users.settings} || ${toStorableJson(changes)}::jsonb) - ${sql`array[${sql.join(
        removed.map((field) => sql`${field}`),
        sql`, `,
      )}]::text[]`}`;
      const [row] = await db.update(users).set({ settings }).where(eq(users.id, userId)).returning();
      return toUser(row);
    },
  };
}
