import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, asc, desc, eq, gte, inArray, isNull, lt, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { fromBase64 } from '../../database/expressions.ts';
import { imageJobs, images } from '../../database/schema/index.ts';
import { toStorableJson } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { ChatLeases } from '../inbox/index.ts';

/** An image request made in a chat. */
export interface StoredImageJob {
  readonly id: number;
  readonly userId: number;
  readonly chatId: number;
  readonly topicId: number | undefined;
  /** The request as passed to `begin`, after a round trip through JSON. */
  readonly options: unknown;
  /** Id of the Telegram message that shows the progress. */
  readonly statusMessageId: number | undefined;
  /** Ids of the generated images that are still stored, in order. */
  readonly imageIds: readonly number[];
}

/** A generated image file. */
export interface StoredImage {
  readonly imageJobId: number;
  /** Index from 0. */
  readonly position: number;
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: Buffer;
}

/** Image requests made in chats, and for some days their images. */
export type ImageJobs = ReturnType<typeof createImageJobs>;

export interface ImageJobsOptions {
  /** Retention of images. Default 7 days. */
  readonly keepImagesMs?: number | undefined;
  /** Maximum number of stored images, the newest ones. Default 2000. */
  readonly maxImages?: number | undefined;
}

const DAY_MS = 86_400_000;
const KEEP_JOBS_MS = 30 * DAY_MS;
const SWEEP_EVERY_MS = 600_000;

interface ImageJobsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Fences the progress of requests. Default: no other process takes over chats. */
  readonly chatLeases?: ChatLeases;
}

export function createImageJobs(
  { db, clock, chatLeases = new ChatLeases() }: ImageJobsDeps,
  { keepImagesMs = 7 * DAY_MS, maxImages = 2000 }: ImageJobsOptions = {},
) {
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Called when requests are added, so that no timer is needed. */
  const sweep = async () => {
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    const before = (ageMs: number) => new Date(clock.now() - ageMs);
    await db.delete(imageJobs).where(lt(imageJobs.createdAt, before(KEEP_JOBS_MS)));
    const old = db
      .select({ id: imageJobs.id })
      .from(imageJobs)
      .where(lt(imageJobs.createdAt, before(keepImagesMs)));
    await db.delete(images).where(inArray(images.imageJobId, old));
    const newest = db.select({ id: images.id }).from(images).orderBy(desc(images.id)).limit(maxImages);
    await db.delete(images).where(notInArray(images.id, newest));
  };

  const withImages = async (rows: readonly (typeof imageJobs.$inferSelect)[]): Promise<readonly StoredImageJob[]> => {
    const ids = rows.map(({ id }) => id);
    const { id, imageJobId, position } = images;
    const stored = await db
      .select({ id, imageJobId })
      .from(images)
      .where(inArray(imageJobId, ids))
      .orderBy(asc(position));
    const imagesOf = Map.groupBy(stored, (image) => image.imageJobId);
    return rows.map((row) => toStoredImageJob(row, imagesOf.get(row.id)?.map((image) => image.id) ?? []));
  };

  return {
    /**
     * Stores a request as in progress.
     * @param imageJob `updateId` is the update with the request, if there is one.
     * @returns its id.
     * @throws ChatLostError
     */
    async begin({
      userId,
      chatId,
      topicId,
      options,
      updateId,
    }: Pick<StoredImageJob, 'userId' | 'chatId' | 'topicId' | 'options'> & {
      readonly updateId?: number | undefined;
    }): Promise<number> {
      await sweep();
      const [row] = await chatLeases.fence(db, (tx) =>
        tx
          .insert(imageJobs)
          .values({
            userId,
            chatId,
            topicId: topicId ?? null,
            updateId: updateId ?? null,
            options: sql`${toStorableJson(options)}::jsonb`,
            createdAt: new Date(clock.now()),
          })
          .returning({ id: imageJobs.id }),
      );
      if (!row) throw new Error('the database returned no id for an image job');
      return row.id;
    },
    /** Returns whether an update was stored as a request already: it may be handled again after a crash. */
    async isGiven(chatId: number, updateId: number): Promise<boolean> {
      const isOfUpdate = and(eq(imageJobs.chatId, chatId), eq(imageJobs.updateId, updateId));
      return (await db.select({ id: imageJobs.id }).from(imageJobs).where(isOfUpdate)).length > 0;
    },
    /** @throws ChatLostError */
    async setStatusMessage(id: number, statusMessageId: number): Promise<void> {
      await chatLeases.fence(db, (tx) => tx.update(imageJobs).set({ statusMessageId }).where(eq(imageJobs.id, id)));
    },
    /**
     * Stores the images of a request, all or none. The request stays in progress: the images are not delivered yet.
     * @returns their ids, in order.
     */
    async storeImages(id: number, made: readonly Pick<StoredImage, 'format' | 'bytes'>[]): Promise<readonly number[]> {
      return db.transaction(async (tx) => {
        const imageIds: number[] = [];
        for (const [position, { format, bytes }] of made.entries()) {
          const [row] = await tx
            .insert(images)
            .values({ imageJobId: id, position, format, bytes: fromBase64(bytes) })
            .returning({ id: images.id });
          if (row) imageIds.push(row.id);
          // The embedded database resolves without yielding to the event loop: yield between images.
          await yieldToEventLoop();
        }
        return imageIds;
      });
    },
    /** Marks a request as completed: its result is delivered. @throws ChatLostError */
    async end(id: number): Promise<void> {
      await chatLeases.fence(db, (tx) =>
        tx
          .update(imageJobs)
          .set({ endedAt: new Date(clock.now()) })
          .where(eq(imageJobs.id, id)),
      );
    },
    /** Returns undefined for requests that are unknown or older than 30 days. */
    async find(id: number): Promise<StoredImageJob | undefined> {
      const notBefore = new Date(clock.now() - KEEP_JOBS_MS);
      const rows = await db
        .select()
        .from(imageJobs)
        .where(and(eq(imageJobs.id, id), gte(imageJobs.createdAt, notBefore)));
      const [imageJob] = await withImages(rows);
      return imageJob;
    },
    /** Returns undefined for images that are unknown or no longer stored. */
    async findImage(id: number): Promise<StoredImage | undefined> {
      const { imageJobId, position, format } = images;
      const [row] = await db
        .select({ imageJobId, position, format, base64: sql<string>`encode(${images.bytes}, 'base64')` })
        .from(images)
        .where(eq(images.id, id));
      if (!row) return undefined;
      const { base64, ...image } = row;
      return { ...image, bytes: Buffer.from(base64, 'base64') };
    },
    /** Lists the requests of a chat that are in progress or were interrupted by a crash, oldest first. */
    async listUnended(chatId: number): Promise<readonly StoredImageJob[]> {
      const isUnended = and(eq(imageJobs.chatId, chatId), isNull(imageJobs.endedAt));
      const rows = await db.select().from(imageJobs).where(isUnended).orderBy(asc(imageJobs.id));
      return withImages(rows);
    },
  };
}

function toStoredImageJob(row: typeof imageJobs.$inferSelect, imageIds: readonly number[]): StoredImageJob {
  return {
    id: row.id,
    userId: row.userId,
    chatId: row.chatId,
    topicId: row.topicId ?? undefined,
    options: row.options,
    statusMessageId: row.statusMessageId ?? undefined,
    imageIds,
  };
}
