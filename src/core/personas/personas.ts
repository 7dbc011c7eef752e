import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { people, personas } from '../../database/schema/index.ts';
import { toStorable } from '../../database/storable.ts';
import { createId } from '../../lib/ids.ts';

/** A persona that somebody has made. */
export interface OwnPersona {
  readonly id: number;
  /** Whose it is. */
  readonly personId: number;
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
  list(personId: number): Promise<readonly OwnPersona[]>;
  /** Anybody's: in groups somebody's persona answers all. */
  find(personaId: number): Promise<OwnPersona | undefined>;
  /** @returns why not: they have as many as they may, or one of that name. */
  add(
    personId: number,
    persona: { readonly name: string; readonly instructions: string },
  ): Promise<OwnPersona | 'full' | 'taken'>;
  /** @returns `gone` where the person has no such persona, `taken` where they have another one of that name. */
  change(
    personaId: number,
    owner: { readonly personId: number },
    changes: { readonly name?: string; readonly instructions?: string },
  ): Promise<OwnPersona | 'gone' | 'taken'>;
  /** Lets others have a copy, by a key that stays the same until that ends. @returns undefined where the person has no such persona. */
  share(personaId: number, owner: { readonly personId: number }): Promise<OwnPersona | undefined>;
  /** Copies that others have stay theirs. @returns undefined where the person has no such persona. */
  unshare(personaId: number, owner: { readonly personId: number }): Promise<OwnPersona | undefined>;
  findShared(shareKey: string): Promise<OwnPersona | undefined>;
  /** @returns whether it was there, and theirs. */
  remove(personaId: number, owner: { readonly personId: number }): Promise<boolean>;
}

/** Of a person. */
export const MAX_PERSONAS = 30;

export function createPersonas({ db }: { readonly db: Database }): Personas {
  const isOwn = (personaId: number, personId: number) =>
    and(eq(personas.id, personaId), eq(personas.personId, personId));
  return {
    async list(personId) {
      const rows = await db
        .select()
        .from(personas)
        .where(eq(personas.personId, personId))
        .orderBy(asc(sql`lower(${personas.name})`));
      return rows.map(toOwnPersona);
    },
    async find(personaId) {
      const [row] = await db.select().from(personas).where(eq(personas.id, personaId));
      return row && toOwnPersona(row);
    },
    add: (personId, persona) =>
      db.transaction(async (tx) => {
        // Two at once are counted one after the other.
        await tx.select({ id: people.id }).from(people).where(eq(people.id, personId)).for('update');
        const [had] = await tx.select({ count: count() }).from(personas).where(eq(personas.personId, personId));
        if ((had?.count ?? 0) >= MAX_PERSONAS) return 'full';
        const [row] = await tx
          .insert(personas)
          .values({ personId, ...toStorable(persona) })
          .onConflictDoNothing()
          .returning();
        return row ? toOwnPersona(row) : 'taken';
      }),
    change: (personaId, { personId }, changes) =>
      db.transaction(async (tx) => {
        await tx.select({ id: people.id }).from(people).where(eq(people.id, personId)).for('update');
        const all = await tx.select().from(personas).where(eq(personas.personId, personId));
        const name = changes.name?.toLowerCase();
        if (!all.some(({ id }) => id === personaId)) return 'gone';
        if (name !== undefined && all.some((other) => other.id !== personaId && other.name.toLowerCase() === name)) {
          return 'taken';
        }
        const [row] = await tx.update(personas).set(toStorable(changes)).where(isOwn(personaId, personId)).returning();
        return row ? toOwnPersona(row) : 'gone';
      }),
    async share(personaId, { personId }) {
      const shareKey = sql`coalesce(${personas.shareKey}, ${createId('')})`;
      const [row] = await db.update(personas).set({ shareKey }).where(isOwn(personaId, personId)).returning();
      return row && toOwnPersona(row);
    },
    async unshare(personaId, { personId }) {
      const [row] = await db.update(personas).set({ shareKey: null }).where(isOwn(personaId, personId)).returning();
      return row && toOwnPersona(row);
    },
    async findShared(shareKey) {
      const [row] = await db.select().from(personas).where(eq(personas.shareKey, shareKey));
      return row && toOwnPersona(row);
    },
    async remove(personaId, { personId }) {
      const gone = await db.delete(personas).where(isOwn(personaId, personId)).returning({ id: personas.id });
      return gone.length > 0;
    },
  };
}

function toOwnPersona({ id, personId, name, instructions, shareKey }: typeof personas.$inferSelect): OwnPersona {
  return { id, personId, name, instructions, shareKey: shareKey ?? undefined };
}
