import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { blobs } from '../../src/database/schema/index.ts';
import { collect, createStorageHarnessOn } from '../support/harness/storage.ts';
import { createScriptedBlobStore, type StoreFault } from '../support/stores/scripted-blob-store.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const database = startBeforeAll(() => createEmbeddedTestDatabase());
afterEach(() => database.db.execute(sql`truncate files, blobs, parts cascade`));

const DAY_MS = 24 * 3_600_000;

/** Two stores, and the storage before and after new files go to the second. */
function createStores() {
  const [from, to] = [createScriptedBlobStore({ kind: 'from' }), createScriptedBlobStore({ kind: 'to' })];
  return {
    from,
    to,
    before: createStorageHarnessOn(database.db, from, { partBytes: 100_000 }),
    openAfter: (movesFiles: boolean) =>
      createStorageHarnessOn(database.db, to, { partBytes: 100_000, formerStores: [from], movesFiles }),
  };
}

type After = ReturnType<ReturnType<typeof createStores>['openAfter']>;

async function uploadSome({ upload }: Pick<After, 'upload'>) {
  const contents = [1, 1000, 70_000, 100_000, 350_000].map((size) => randomBytes(size));
  return Promise.all(contents.map(async (bytes) => ({ ...(await upload(bytes)), bytes })));
}

async function expectReadable(after: After, files: Awaited<ReturnType<typeof uploadSome>>) {
  for (const { id, bytes } of files) expect((await after.read(id)).equals(bytes), `${bytes.length} bytes`).toBe(true);
}

/** Moves until nothing is left elsewhere. */
async function moveAll(after: After) {
  after.storage.start();
  for (let round = 0; (await after.storage.countElsewhere()) > 0; round++) {
    if (round > 200) throw new Error(`Never ends: ${after.logLines.join('\n')}`);
    await after.clock.advance(60_000);
  }
}

it('files of a former store are read and deleted where they are', async () => {
  const { before, from, openAfter } = createStores();
  const files = await uploadSome(before);
  const after = openAfter(false);
  await expectReadable(after, files);
  const added = await after.upload(Buffer.from('new'));
  expect(await after.storage.countElsewhere()).toBeGreaterThan(521_000);
  for (const { id, ownerKey } of [...files, added])
    expect(await after.storage.delete(id, { ownerKey })).toBe('deleted');
  await after.sweepThoroughly();
  expect(from.names.size).toBe(0);
  expect(await after.countRows()).toEqual({ files: 0, blobs: 0, parts: 0 });
});

it('moves all files, which stay readable, and removes the former bytes after a day', async () => {
  const { before, from, to, openAfter } = createStores();
  const files = await uploadSome(before);
  const stored = from.names.size;
  const after = openAfter(true);
  // Its parts were listed before the move.
  const reading = await after.storage.read(files[4]?.id ?? '', { start: 0, end: 400_000 }, after.signal);
  await moveAll(after);
  expect([from.names.size, to.names.size]).toEqual([stored, stored]);
  expect((await collect(reading)).equals(files[4]?.bytes ?? Buffer.of())).toBe(true);
  await expectReadable(after, files);
  await after.clock.advance(DAY_MS + 10 * 60_000);
  await after.storage.sweep(after.signal);
  expect([from.names.size, to.names.size]).toEqual([0, stored]);
  await expectReadable(after, files);
  await after.storage.close();
});

it('leaves what is missing or damaged for the moment, and moves the rest', async () => {
  const { before, from, openAfter } = createStores();
  const files = await uploadSome(before);
  const faults = ['missing', 'flip'] as const;
  from.script = (call, index) => (call === 'open' ? faults[index] : undefined);
  const after = openAfter(true);
  after.storage.start();
  await after.clock.advance(1000);
  expect(await after.storage.countElsewhere()).toBeGreaterThan(0);
  expect(after.logLines.join('\n')).toContain('a blob could not be moved; retrying');
  await moveAll(after);
  await expectReadable(after, files);
  await after.storage.close();
});

const RUNS = [1, 2, 3, 4, 5];
const LIVES = 4;

testByTier(RUNS, 1)(
  'ends with every file readable once and no blob lost, whatever fails and whenever processes end: run %s',
  async () => {
    const faults: readonly (StoreFault | undefined)[] = [
      'refused',
      'refused-for-now',
      'lost-undone',
      'lost-done',
      'broken',
      'break',
      ...Array<undefined>(6),
    ];
    const { before, from, to, openAfter } = createStores();
    const files = await uploadSome(before);
    const deletedAt = randomInt(LIVES);
    const [gone, ...kept] = files;
    const script = (call: string) => (call === 'put' || call === 'open' ? faults[randomInt(faults.length)] : undefined);
    for (let life = 0; life < LIVES; life++) {
      from.script = script;
      to.script = script;
      // Two processes at once, both killed: what they were doing is never completed.
      const [one, other] = [openAfter(true), openAfter(true)];
      one.storage.start();
      other.storage.start();
      await Promise.all([one.clock.advance(randomInt(40_000)), other.clock.advance(randomInt(40_000))]);
      if (life === deletedAt && gone) await one.storage.delete(gone.id, { ownerKey: gone.ownerKey });
      await Promise.all([one.storage.close(), other.storage.close()]);
      from.script = to.script = () => undefined;
      await expectReadable(openAfter(false), kept);
    }
    const last = openAfter(true);
    await moveAll(last);
    await expectReadable(last, kept);
    await last.clock.advance(3 * DAY_MS);
    await last.sweepThoroughly();
    expect(from.names.size).toBe(0);
    const rows = await database.db.select({ name: blobs.name, store: blobs.store }).from(blobs);
    expect(new Set(rows.map(({ name }) => name))).toEqual(to.names);
    expect(rows.every(({ store }) => store === 'to')).toBe(true);
    await last.storage.close();
    await before.storage.close();
  },
);
