import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { lockUser } from '../../database/lock-user.ts';
import { personas } from '../../database/schema/index.ts';
import { toStorable } from '../../database/storable.ts';
import { createId } from '../../lib/ids.ts';

/** A persona created by a user. */
export interface OwnPersona {
  readonly id: number;
  /** Id of its owner. */
  readonly userId: number;
  /** Unique among the owner's personas, ignoring case. */
  readonly name: string;
  /** System prompt. */
  readonly instructions: string;
  /** Another user has written the instructions. */
  readonly isCopied: boolean;
  /** Key that allows others to copy the persona: 22 letters, digits, `_` and `-`. Undefined if it is not shared. */
  readonly shareKey: string | undefined;
}

/** Personas created by users. */
export type Personas = ReturnType<typeof createPersonas>;

/** Maximum number of personas of a user. */
export const MAX_PERSONAS = 30;

export function createPersonas({ db }: { readonly db: Database }) {
  const isOwn = (personaId: number, userId: number) => and(eq(personas.id, personaId), eq(personas.userId, userId));
  return {
    /** Lists a user's personas by name. */
    async list(userId: number): Promise<readonly OwnPersona[]> {
      const rows = await db
        .select()
        .from(personas)
        .where(eq(personas.userId, userId))
        .orderBy(asc(sql`lower(${personas.name})`));
      return rows.map(toOwnPersona);
    },
    /** Returns a persona of any user: in groups, one user's persona answers all members. */
    async find(personaId: number): Promise<OwnPersona | undefined> {
      const [row] = await db.select().from(personas).where(eq(personas.id, personaId));
      return row && toOwnPersona(row);
    },
    /**
     * Creates a persona.
     * @returns `full` if the user has the maximum number, `taken` if they have one of that name.
     */
    add: (
      userId: number,
      persona: Pick<OwnPersona, 'name' | 'instructions'> & Partial<Pick<OwnPersona, 'isCopied'>>,
    ): Promise<OwnPersona | 'full' | 'taken'> =>
      db.transaction(async (tx) => {
        // The lock serialises concurrent calls, so that the count stays correct.
        await lockUser(tx, userId);
        if ((await tx.$count(personas, eq(personas.userId, userId))) >= MAX_PERSONAS) return 'full';
        const [row] = await tx
          .insert(personas)
          .values({ userId, ...toStorable(persona) })
          .onConflictDoNothing()
          .returning();
        return row ? toOwnPersona(row) : 'taken';
      }),
    /**
     * Changes a persona. New instructions are those of its owner.
     * @returns `gone` if the user has no such persona, `taken` if they have another one of that name.
     */
    change: (
      personaId: number,
      { userId }: { readonly userId: number },
      changes: { readonly name?: string; readonly instructions?: string },
    ): Promise<OwnPersona | 'gone' | 'taken'> =>
      db.transaction(async (tx) => {
        await lockUser(tx, userId);
        const all = await tx.select().from(personas).where(eq(personas.userId, userId));
        const name = changes.name?.toLowerCase();
        if (!all.some(({ id }) => id === personaId)) return 'gone';
        if (name !== undefined && all.some((other) => other.id !== personaId && other.name.toLowerCase() === name)) {
          return 'taken';
        }
        const [row] = await tx
          .update(personas)
          .set({ ...toStorable(changes), ...(changes.instructions !== undefined && { isCopied: false }) })
          .where(isOwn(personaId, userId))
          .returning();
        return row ? toOwnPersona(row) : 'gone';
      }),
    /**
     * Shares a persona by a key, which stays the same until `unshare`.
     * @returns undefined if the user has no such persona.
     */
    async share(personaId: number, { userId }: { readonly userId: number }): Promise<OwnPersona | undefined> {
      const shareKey = sql`coalesce(${personas.shareKey}, ${createId()})`;
      const [row] = await db.update(personas).set({ shareKey }).where(isOwn(personaId, userId)).returning();
      return row && toOwnPersona(row);
    },
    /**
     * Ends sharing; existing copies are kept.
     * @returns undefined if the user has no such persona.
     */
    async unshare(personaId: number, { userId }: { readonly userId: number }): Promise<OwnPersona | undefined> {
      const [row] = await db.update(personas).set({ shareKey: null }).where(isOwn(personaId, userId)).returning();
      return row && toOwnPersona(row);
    },
    async findShared(shareKey: string): Promise<OwnPersona | undefined> {
      const [row] = await db.select().from(personas).where(eq(personas.shareKey, shareKey));
      return row && toOwnPersona(row);
    },
    /**
     * Deletes a persona.
     * @returns false if the user has no such persona.
     */
    async remove(personaId: number, { userId }: { readonly userId: number }): Promise<boolean> {
      const gone = await db.delete(personas).where(isOwn(personaId, userId)).returning({ id: personas.id });
      return gone.length > 0;
    },
  };
}

function toOwnPersona({
  id,
  userId,
  name,
  instructions,
  isCopied,
  shareKey,
}: typeof personas.$inferSelect): OwnPersona {
  return { id, userId, name, instructions, isCopied, shareKey: shareKey ?? undefined };
}
