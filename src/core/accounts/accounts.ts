import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, people } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/ids.ts';
import { createKeyCache } from './key-cache.ts';

/** Somebody who uses the service: in Telegram, by an API key, or both. `id` is the `user` of API answers. */
export interface Person {
  readonly id: number;
  readonly telegramId: number | undefined;
  readonly role: 'user' | 'admin';
  readonly settings: PersonSettings;
}

/** What a person chose. A missing field means the default. */
export interface PersonSettings {
  /** Public name of the chat model. */
  readonly model?: string | undefined;
  /** Public name of the image model. */
  readonly imageModel?: string | undefined;
  /** Given to the model at the top of every conversation. */
  readonly systemPrompt?: string | undefined;
  /** Language of the bot's own texts, as Telegram names it (`en`, `ru`); unset follows Telegram's language of the person. */
  readonly language?: string | undefined;
}

/** Who stands behind an API key. */
export interface ApiKeyIdentity {
  readonly personId: number;
  readonly keyId: number;
}

export interface Accounts {
  /** The owner of an API key; undefined for unknown and revoked keys. A change of keys shows within a second. */
  findByApiKey(secret: string): Promise<ApiKeyIdentity | undefined>;
  /** The person behind a Telegram account, made at the first contact. */
  ensureTelegramPerson(telegramId: number): Promise<Person>;
  findPerson(personId: number): Promise<Person | undefined>;
  /** Changes the named fields; `undefined` returns a field to its default. */
  updateSettings(personId: number, changes: PersonSettings): Promise<Person>;
}

export interface AccountsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Telegram ids of the people who run this service. */
  readonly adminIds: readonly number[];
}

/** People and their keys, in the database. Keys are looked up by their SHA-256, so no comparison tells anything by its time. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { db } = deps;
  // Asked by every request of the API: a question to the database costs more than all the rest of a request.
  const findByHash = createKeyCache<ApiKeyIdentity>(deps, async (hash) => {
    const [row] = await db
      .select({ keyId: apiKeys.id, personId: apiKeys.personId })
      .from(apiKeys)
      .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)));
    return row;
  });
  return {
    findByApiKey: (secret) => findByHash(hashSecret(secret)),
    async ensureTelegramPerson(telegramId) {
      const role = deps.adminIds.includes(telegramId) ? ('admin' as const) : ('user' as const);
      const [known] = await db.select().from(people).where(eq(people.telegramId, telegramId));
      if (known && known.role === role) return toPerson(known);
      const [row] = await db
        .insert(people)
        .values({ telegramId, role })
        .onConflictDoUpdate({ target: people.telegramId, set: { role } })
        .returning();
      return toPerson(row);
    },
    async findPerson(personId) {
      const [row] = await db.select().from(people).where(eq(people.id, personId));
      return row && toPerson(row);
    },
    async updateSettings(personId, changes) {
      const removed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [field] : []));
      // One statement, so that two changes at once both count. JSON leaves undefined fields out.
      const settings = sql`(${people.settings} || ${JSON.stringify(changes)}::jsonb) - ${sql`array[${sql.join(
        removed.map((field) => sql`${field}`),
        sql`, `,
      )}]::text[]`}`;
      const [row] = await db.update(people).set({ settings }).where(eq(people.id, personId)).returning();
      return toPerson(row);
    },
  };
}

function toPerson(row: typeof people.$inferSelect | undefined): Person {
  if (!row) throw new Error('This person does not exist');
  return { id: row.id, telegramId: row.telegramId ?? undefined, role: row.role, settings: row.settings };
}
