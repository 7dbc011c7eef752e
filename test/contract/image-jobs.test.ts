import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createImageJobs, type ImageJobs } from '../../src/core/image-jobs/index.ts';
import { ChatLeases, ChatLostError } from '../../src/core/inbox/index.ts';
import { imageJobs as drawingsTable, users } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const CHAT_ID = -1_002_345_678_901;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describeOnEveryDatabase('image jobs', (createDatabase) => {
  let database: TestDatabase;
  let imageJobs: ImageJobs;
  let clock: FakeClock;
  let userId: number;
  beforeAll(async () => {
    database = await createDatabase();
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  beforeEach(async () => {
    await database.db.delete(drawingsTable);
    clock = createFakeClock();
    imageJobs = createImageJobs({ db: database.db, clock }, { maxImages: 5 });
  });
  afterAll(() => database.close());

  const begin = (options: unknown = { prompt: 'a fox' }) =>
    imageJobs.begin({ userId, chatId: CHAT_ID, topicId: undefined, options });
  const png = (bytes: Buffer = Buffer.from('picture')) => ({ format: 'png' as const, bytes });

  it('a request is returned as it was stored', async () => {
    const options = { prompt: 'лиса 🦊 "\\u0000" \\', ratio: '16:9', count: 4, seed: null, nested: [{ a: 1.5 }, true] };
    const id = await imageJobs.begin({ userId, chatId: CHAT_ID, topicId: 12, options });
    expect(await imageJobs.find(id)).toEqual({
      id,
      userId,
      chatId: CHAT_ID,
      topicId: 12,
      options,
      statusMessageId: undefined,
      imageIds: [],
    });
    await imageJobs.setStatusMessage(id, 345);
    expect(await imageJobs.find(id)).toMatchObject({ statusMessageId: 345 });
    expect(await imageJobs.find(id + 1)).toBeUndefined();
  });

  it('a process that has lost the chat changes nothing', async () => {
    const chatLeases = new ChatLeases();
    const late = createImageJobs({ db: database.db, clock, chatLeases });
    const inLostChat = (work: () => Promise<unknown>) => {
      const lease = { chatQueue: CHAT_ID, isLost: false, isInTime: () => true, isOwn: async () => false };
      return chatLeases.run(
        {
          ...lease,
          lose() {
            Object.assign(this, { isLost: true });
          },
        },
        work,
      );
    };
    const id = await begin();
    const request = { userId, chatId: CHAT_ID, topicId: undefined, options: {} };
    for (const work of [() => late.begin(request), () => late.setStatusMessage(id, 1), () => late.end(id)])
      await expect(inLostChat(work)).rejects.toThrow(ChatLostError);
    expect(await imageJobs.listUnended(CHAT_ID)).toMatchObject([{ id, statusMessageId: undefined }]);
  });

  it('characters that Postgres refuses in JSON do not prevent a job', async () => {
    const id = await begin({ prompt: 'a\u0000fox\ud800' });
    expect(await imageJobs.find(id)).toMatchObject({ options: { prompt: 'afox\ufffd' } });
  });

  it('images are returned byte for byte, in their order', async () => {
    const id = await begin();
    const made = [
      { format: 'png' as const, bytes: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
      { format: 'jpeg' as const, bytes: randomBytes(3_000_000) },
      { format: 'webp' as const, bytes: Buffer.alloc(0) },
    ];
    const ids = await imageJobs.storeImages(id, made);
    const found = await Promise.all(ids.map((imageId) => imageJobs.findImage(imageId)));
    for (const [position, image] of found.entries()) {
      expect(image).toMatchObject({ imageJobId: id, position, format: made[position]?.format });
      expect(Buffer.isBuffer(image?.bytes)).toBe(true);
      expect(image?.bytes.equals(made[position]?.bytes ?? Buffer.from('missing'))).toBe(true);
    }
    expect(found).toHaveLength(3);
    expect(await imageJobs.find(id)).toMatchObject({ imageIds: ids });
    expect(await imageJobs.findImage(Math.max(...ids) + 1)).toBeUndefined();
  });

  it('jobs are running until they end, also after their images are stored', async () => {
    const [first, second, third] = [await begin('first'), await begin('second'), await begin('third')];
    await imageJobs.setStatusMessage(third, 99);
    await imageJobs.end(second);
    const imageIds = await imageJobs.storeImages(third, [png(), png()]);
    expect(imageIds).toHaveLength(2);
    expect(await imageJobs.listUnended(CHAT_ID)).toMatchObject([
      { id: first, options: 'first', imageIds: [] },
      { id: third, options: 'third', statusMessageId: 99, imageIds },
    ]);
    await imageJobs.end(first);
    await imageJobs.end(third);
    expect(await imageJobs.listUnended(CHAT_ID)).toEqual([]);
    expect(await imageJobs.find(second)).toMatchObject({ options: 'second' });
  });

  it('the next process finds the jobs that were running in the previous one', async () => {
    const id = await begin();
    const after = createImageJobs({ db: database.db, clock });
    expect(await after.listUnended(CHAT_ID)).toMatchObject([{ id, userId }]);
  });

  it('images are deleted after seven days, requests after thirty', async () => {
    const id = await begin();
    const [imageId = 0] = await imageJobs.storeImages(id, [png()]);
    await clock.advance(7 * DAY_MS - HOUR_MS);
    await begin();
    expect(await imageJobs.findImage(imageId)).toBeDefined();
    await clock.advance(2 * HOUR_MS);
    await begin();
    expect(await imageJobs.findImage(imageId)).toBeUndefined();
    expect(await imageJobs.find(id)).toBeDefined();
    await clock.advance(23 * DAY_MS);
    expect(await imageJobs.find(id)).toBeUndefined();
    await begin();
    const rows = await database.db.select({ id: drawingsTable.id }).from(drawingsTable);
    expect(rows.some((row) => row.id === id)).toBe(false);
  });

  it('only the newest images are kept', async () => {
    const old = await imageJobs.storeImages(await begin(), [png(), png(), png(), png()]);
    const recent = await imageJobs.storeImages(await begin(), [png(), png(), png(), png()]);
    await clock.advance(HOUR_MS);
    await begin();
    const isKept = async (id: number) => (await imageJobs.findImage(id)) !== undefined;
    expect(await Promise.all(old.map(isKept))).toEqual([false, false, false, true]);
    expect(await Promise.all(recent.map(isKept))).toEqual([true, true, true, true]);
  });

  it('everything is deleted with its user', async () => {
    const [leaving] = await database.db.insert(users).values({}).returning();
    const id = await imageJobs.begin({ userId: leaving?.id ?? 0, chatId: 1, topicId: undefined, options: {} });
    const [imageId = 0] = await imageJobs.storeImages(id, [png()]);
    await database.db.delete(users).where(eq(users.id, leaving?.id ?? 0));
    expect(await imageJobs.find(id)).toBeUndefined();
    expect(await imageJobs.findImage(imageId)).toBeUndefined();
  });
});
