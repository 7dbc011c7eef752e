import { and, asc, desc, eq, gte, inArray, isNull, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { drawings, pictures } from '../../database/schema/index.ts';
import { toStorableJson } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';

/** An image request made in a chat. */
export interface Drawing {
  readonly id: number;
  readonly userId: number;
  readonly chatId: number;
  readonly topicId: number | undefined;
  /** The request as passed to `begin`, after a round trip through JSON. */
  readonly order: unknown;
  /** Id of the Telegram message that shows the progress. */
  readonly statusMessageId: number | undefined;
  /** Ids of the generated images that are still stored, in order. */
  readonly pictureIds: readonly number[];
}

/** A generated image file. */
export interface KeptPicture {
  readonly drawingId: number;
  /** Index from 0. */
  readonly position: number;
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: Buffer;
}

/** Image requests made in chats, and for some days their images. */
export interface Drawings {
  /**
   * Stores a request as in progress.
   * @param drawing `updateId` is the update with the request, if there is one.
   * @returns its id.
   */
  begin(
    drawing: Pick<Drawing, 'userId' | 'chatId' | 'topicId' | 'order'> & { readonly updateId?: number | undefined },
  ): Promise<number>;
  /** Returns whether an update was stored as a request already: it may be handled again after a crash. */
  isGiven(chatId: number, updateId: number): Promise<boolean>;
  noteStatusMessage(id: number, statusMessageId: number): Promise<void>;
  /**
   * Stores the images of a request, all or none. The request stays in progress: the images are not delivered yet.
   * @returns their ids, in order.
   */
  keep(id: number, made: readonly Pick<KeptPicture, 'format' | 'bytes'>[]): Promise<readonly number[]>;
  /** Marks a request as completed: its result is delivered. */
  end(id: number): Promise<void>;
  /** Returns undefined for requests that are unknown or older than 30 days. */
  find(id: number): Promise<Drawing | undefined>;
  /** Returns undefined for images that are unknown or no longer stored. */
  findPicture(id: number): Promise<KeptPicture | undefined>;
  /** Lists the requests of a chat that are in progress or were interrupted by a crash, oldest first. */
  listUnended(chatId: number): Promise<readonly Drawing[]>;
}

export interface DrawingsOptions {
  /** Retention of images. Default 7 days. */
  readonly keepPicturesMs?: number | undefined;
  /** Maximum number of stored images, the newest ones. Default 2000. */
  readonly maxPictures?: number | undefined;
}

const DAY_MS = 86_400_000;
const KEEP_ORDERS_MS = 30 * DAY_MS;
const SWEEP_EVERY_MS = 600_000;

export function createDrawings(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { keepPicturesMs = 7 * DAY_MS, maxPictures = 2000 }: DrawingsOptions = {},
): Drawings {
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Called when requests are added, so that no timer is needed. */
  const sweep = async () => {
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    const before = (ageMs: number) => new Date(clock.now() - ageMs);
    await db.delete(drawings).where(lt(drawings.createdAt, before(KEEP_ORDERS_MS)));
    const old = db
      .select({ id: drawings.id })
      .from(drawings)
      .where(lt(drawings.createdAt, before(keepPicturesMs)));
    await db.delete(pictures).where(inArray(pictures.drawingId, old));
    const newest = db.select({ id: pictures.id }).from(pictures).orderBy(desc(pictures.id)).limit(maxPictures);
    await db.delete(pictures).where(notInArray(pictures.id, newest));
  };

  const withPictures = async (rows: readonly (typeof drawings.$inferSelect)[]): Promise<readonly Drawing[]> => {
    const ids = rows.map(({ id }) => id);
    const { id, drawingId, position } = pictures;
    const kept = await db
      .select({ id, drawingId })
      .from(pictures)
      .where(inArray(drawingId, ids))
      .orderBy(asc(position));
    const keptOf = Map.groupBy(kept, (picture) => picture.drawingId);
    return rows.map((row) => toDrawing(row, keptOf.get(row.id)?.map((picture) => picture.id) ?? []));
  };

  return {
    async begin({ userId, chatId, topicId, order, updateId }) {
      await sweep();
      const [row] = await db
        .insert(drawings)
        .values({
          userId,
          chatId,
          topicId: topicId ?? null,
          updateId: updateId ?? null,
          order: sql`${toStorableJson(order)}::jsonb`,
          createdAt: new Date(clock.now()),
        })
        .returning({ id: drawings.id });
      if (!row) throw new Error('the database gave no id for a drawing');
      return row.id;
    },
    async isGiven(chatId, updateId) {
      const isOfUpdate = and(eq(drawings.chatId, chatId), eq(drawings.updateId, updateId));
      return (await db.select({ id: drawings.id }).from(drawings).where(isOfUpdate)).length > 0;
    },
    async noteStatusMessage(id, statusMessageId) {
      await db.update(drawings).set({ statusMessageId }).where(eq(drawings.id, id));
    },
    async keep(id, made) {
      return db.transaction(async (tx) => {
        const kept: number[] = [];
        for (const [position, { format, bytes }] of made.entries()) {
          const [row] = await tx
            .insert(pictures)
            .values({ drawingId: id, position, format, bytes: fromBase64(bytes) })
            .returning({ id: pictures.id });
          if (row) kept.push(row.id);
          // The embedded database resolves without yielding to the event loop: yield between images.
          await new Promise((resolve) => setImmediate(resolve));
        }
        return kept;
      });
    },
    async end(id) {
      await db
        .update(drawings)
        .set({ endedAt: new Date(clock.now()) })
        .where(eq(drawings.id, id));
    },
    async find(id) {
      const notBefore = new Date(clock.now() - KEEP_ORDERS_MS);
      const rows = await db
        .select()
        .from(drawings)
        .where(and(eq(drawings.id, id), gte(drawings.createdAt, notBefore)));
      const [drawing] = await withPictures(rows);
      return drawing;
    },
    async findPicture(id) {
      const { drawingId, position, format } = pictures;
      const [row] = await db
        .select({ drawingId, position, format, base64: sql<string>`encode(${pictures.bytes}, 'base64')` })
        .from(pictures)
        .where(eq(pictures.id, id));
      if (!row) return undefined;
      const { base64, ...picture } = row;
      return { ...picture, bytes: Buffer.from(base64, 'base64') };
    },
    async listUnended(chatId) {
      const isUnended = and(eq(drawings.chatId, chatId), isNull(drawings.endedAt));
      const rows = await db.select().from(drawings).where(isUnended).orderBy(asc(drawings.id));
      return withPictures(rows);
    },
  };
}

/**
 * Passes bytes as base64: the embedded database's driver takes ten times as long for bytes as for text and blocks the
 * thread meanwhile.
 */
function fromBase64(bytes: Buffer): SQL<Buffer> {
  return sql`decode(${bytes.toString('base64')}, 'base64')`;
}

function toDrawing(row: typeof drawings.$inferSelect, pictureIds: readonly number[]): Drawing {
  return {
    id: row.id,
    userId: row.userId,
    chatId: row.chatId,
    topicId: row.topicId ?? undefined,
    order: row.order,
    statusMessageId: row.statusMessageId ?? undefined,
    pictureIds,
  };
}
