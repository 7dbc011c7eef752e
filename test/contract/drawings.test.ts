import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDrawings, type Drawings } from '../../src/core/drawings/index.ts';
import { drawings as drawingsTable, users } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

const CHAT_ID = -1_002_345_678_901;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describeOnEveryDatabase('drawings', (createDatabase) => {
  let database: TestDatabase;
  let drawings: Drawings;
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
    drawings = createDrawings({ db: database.db, clock }, { maxPictures: 5 });
  });
  afterAll(() => database.close());

  const begin = (order: unknown = { prompt: 'a fox' }) =>
    drawings.begin({ userId, chatId: CHAT_ID, topicId: undefined, order });
  const png = (bytes: Buffer = Buffer.from('picture')) => ({ format: 'png' as const, bytes });

  it('an order comes back as it was given', async () => {
    const order = { prompt: 'лиса 🦊 "\\u0000" \\', ratio: '16:9', count: 4, seed: null, nested: [{ a: 1.5 }, true] };
    const id = await drawings.begin({ userId, chatId: CHAT_ID, topicId: 12, order });
    expect(await drawings.find(id)).toEqual({
      id,
      userId,
      chatId: CHAT_ID,
      topicId: 12,
      order,
      statusMessageId: undefined,
      pictureIds: [],
    });
    await drawings.noteStatusMessage(id, 345);
    expect(await drawings.find(id)).toMatchObject({ statusMessageId: 345 });
    expect(await drawings.find(id + 1)).toBeUndefined();
  });

  it('what a database can’t keep in JSON does not stop an order', async () => {
    const id = await begin({ prompt: 'a\u0000fox\ud800' });
    expect(await drawings.find(id)).toMatchObject({ order: { prompt: 'afox\ufffd' } });
  });

  it('pictures come back byte for byte, in their order', async () => {
    const id = await begin();
    const made = [
      { format: 'png' as const, bytes: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
      { format: 'jpeg' as const, bytes: randomBytes(3_000_000) },
      { format: 'webp' as const, bytes: Buffer.alloc(0) },
    ];
    const ids = await drawings.keep(id, made);
    const found = await Promise.all(ids.map((pictureId) => drawings.findPicture(pictureId)));
    for (const [position, picture] of found.entries()) {
      expect(picture).toMatchObject({ drawingId: id, position, format: made[position]?.format });
      expect(Buffer.isBuffer(picture?.bytes)).toBe(true);
      expect(picture?.bytes.equals(made[position]?.bytes ?? Buffer.from('missing'))).toBe(true);
    }
    expect(found).toHaveLength(3);
    expect(await drawings.find(id)).toMatchObject({ pictureIds: ids });
    expect(await drawings.findPicture(Math.max(...ids) + 1)).toBeUndefined();
  });

  it('orders are at work until they end, also when their pictures are kept', async () => {
    const [first, second, third] = [await begin('first'), await begin('second'), await begin('third')];
    await drawings.noteStatusMessage(third, 99);
    await drawings.end(second);
    const pictureIds = await drawings.keep(third, [png(), png()]);
    expect(pictureIds).toHaveLength(2);
    expect(await drawings.listUnended(CHAT_ID)).toMatchObject([
      { id: first, order: 'first', pictureIds: [] },
      { id: third, order: 'third', statusMessageId: 99, pictureIds },
    ]);
    await drawings.end(first);
    await drawings.end(third);
    expect(await drawings.listUnended(CHAT_ID)).toEqual([]);
    expect(await drawings.find(second)).toMatchObject({ order: 'second' });
  });

  it('the process after finds what the one before had at work', async () => {
    const id = await begin();
    const after = createDrawings({ db: database.db, clock });
    expect(await after.listUnended(CHAT_ID)).toMatchObject([{ id, userId }]);
  });

  it('pictures go after seven days, their order stays for thirty', async () => {
    const id = await begin();
    const [pictureId = 0] = await drawings.keep(id, [png()]);
    await clock.advance(7 * DAY_MS - HOUR_MS);
    await begin();
    expect(await drawings.findPicture(pictureId)).toBeDefined();
    await clock.advance(2 * HOUR_MS);
    await begin();
    expect(await drawings.findPicture(pictureId)).toBeUndefined();
    expect(await drawings.find(id)).toBeDefined();
    await clock.advance(23 * DAY_MS);
    expect(await drawings.find(id)).toBeUndefined();
    await begin();
    const rows = await database.db.select({ id: drawingsTable.id }).from(drawingsTable);
    expect(rows.some((row) => row.id === id)).toBe(false);
  });

  it('only the newest pictures are kept', async () => {
    const old = await drawings.keep(await begin(), [png(), png(), png(), png()]);
    const recent = await drawings.keep(await begin(), [png(), png(), png(), png()]);
    await clock.advance(HOUR_MS);
    await begin();
    const isKept = async (id: number) => (await drawings.findPicture(id)) !== undefined;
    expect(await Promise.all(old.map(isKept))).toEqual([false, false, false, true]);
    expect(await Promise.all(recent.map(isKept))).toEqual([true, true, true, true]);
  });

  it('nothing is left of a person who is gone', async () => {
    const [leaving] = await database.db.insert(users).values({}).returning();
    const id = await drawings.begin({ userId: leaving?.id ?? 0, chatId: 1, topicId: undefined, order: {} });
    const [pictureId = 0] = await drawings.keep(id, [png()]);
    await database.db.delete(users).where(eq(users.id, leaving?.id ?? 0));
    expect(await drawings.find(id)).toBeUndefined();
    expect(await drawings.findPicture(pictureId)).toBeUndefined();
  });
});
