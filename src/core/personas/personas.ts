import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { personas, users } from '../../database/schema/index.ts';
import { toStorable } from '../../database/storable.ts';
import { createId } from '../../lib/ids.ts';

/** A persona that somebody has made. */
export interface OwnPersona {
  readonly id: number;
  /** Whose it is. */
  readonly userId: number;
  /** Unique among theirs, whatever its case. */
  readonly name: string;
  /** What the model is told. */
  readonly instructions: string;
  /** Whoever knows it may have a copy: 22 letters, digits, `_` and `-`. Undefined where the owner has not said so. */
  readonly shareKey: string | undefined;
}

/** Personas that people have made for themselves. */
export interface Personas {
  /** By name. */
  list(userId: number): Promise<readonly OwnPersona[]>;
  /** Anybody's: in groups somebody's persona answers all. */
  find(personaId: number): Promise<OwnPersona | undefined>;
  /** @returns why not: they have as many as they may, or one of that name. */
  add(
    userId: number,
    persona: { readonly name: string; readonly instructions: string },
  ): Promise<OwnPersona | 'full' | 'taken'>;
  /** @returns `gone` where the person has no such persona, `taken` where they have another one of that name. */
  change(
    personaId: number,
    owner: { readonly userId: number },
    changes: { readonly name?: string; readonly instructions?: string },
  ): Promise<OwnPersona | 'gone' | 'taken'>;
  /** Lets others have a copy, by a key that stays the same until that ends. @returns undefined where the person has no such persona. */
  share(personaId: number, owner: { readonly userId: number }): Promise<OwnPersona | undefined>;
  /** Copies that others have stay theirs. @returns undefined where the person has no such persona. */
  unshare(personaId: number, owner: { readonly userId: number }): Promise<OwnPersona | undefined>;
  findShared(shareKey: string): Promise<OwnPersona | undefined>;
  /** @returns whether it was there, and theirs. */
  remove(personaId: number, owner: { readonly userId: number }): Promise<boolean>;
}

/** Of a person. */
export const MAX_PERSONAS = 30;

export function createPersonas({ db }: { readonly db: Database }): Personas {
  const isOwn = (personaId: number, userId: number) => and(eq(personas.id, personaId), eq(personas.userId, userId));
  return {
    async list(userId) {
      const rows = await db
        .select()
        .from(personas)
        .where(eq(personas.userId, userId))
        .orderBy(asc(sql`lower(${personas.name})`));
      return rows.map(toOwnPersona);
    },
    async find(personaId) {
      const [row] = await db.select().from(personas).where(eq(personas.id, personaId));
      return row && toOwnPersona(row);
    },
    add: (userId, persona) =>
      db.transaction(async (tx) => {
        // Two at once are counted one after the other.
        await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
        const [had] = await tx.select({ count: count() }).from(personas).where(eq(personas.userId, userId));
        if ((had?.count ?? 0) >= MAX_PERSONAS) return 'full';
        const [row] = await tx
          .insert(personas)
          .values({ userId, ...toStorable(persona) })
          .onConflictDoNothing()
          .returning();
        return row ? toOwnPersona(row) : 'taken';
      }),
    change: (personaId, { userId }, changes) =>
      db.transaction(async (tx) => {
        await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
        const all = await tx.select().from(personas).where(eq(personas.userId, userId));
        const name = changes.name?.toLowerCase();
        if (!all.some(({ id }) => id === personaId)) return 'gone';
        if (name !== undefined && all.some((other) => other.id !== personaId && other.name.toLowerCase() === name)) {
          return 'taken';
        }
        const [row] = await tx.update(personas).set(toStorable(changes)).where(isOwn(personaId, userId)).returning();
        return row ? toOwnPersona(row) : 'gone';
      }),
    async share(personaId, { userId }) {
      const shareKey = sql`coalesce(${personas.shareKey}, ${createId('')})`;
      const [row] = await db.update(personas).set({ shareKey }).where(isOwn(personaId, userId)).returning();
      return row && toOwnPersona(row);
    },
    async unshare(personaId, { userId }) {
      const [row] = await db.update(personas).set({ shareKey: null }).where(isOwn(personaId, userId)).returning();
      return row && toOwnPersona(row);
    },
    async findShared(shareKey) {
      const [row] = await db.select().from(personas).where(eq(personas.shareKey, shareKey));
      return row && toOwnPersona(row);
    },
    async remove(personaId, { userId }) {
      const gone = await db.delete(personas).where(isOwn(personaId, userId)).returning({ id: personas.id });
      return gone.length > 0;
    },
  };
}

function toOwnPersona({ id, userId, name, instructions, shareKey }: typeof personas.$inferSelect): OwnPersona {
  return { id, userId, name, instructions, shareKey: shareKey ?? undefined };
}
