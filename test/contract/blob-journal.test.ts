import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBlobJournal } from '../../src/core/storage/blobs/blob-journal.ts';
import { openDatabase } from '../../src/database/connect.ts';
import { blobs, files, parts } from '../../src/database/schema/index.ts';
import { createId } from '../../src/lib/ids.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createServerTestDatabase, findServerUrl } from '../support/stores/test-database.ts';

const serverUrl = findServerUrl();
const LEASE_MS = 1000;

describe.skipIf(!serverUrl)('blob journal with two processes (Postgres server)', () => {
  /** A sweeper and an uploader with a connection each. The sweeper can be stopped in the middle of its look at parts. */
  const start = async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    onTestFinished(() => database.close());
    if (database.config.kind !== 'postgres') throw new Error('this needs a server');
    const other = await openDatabase(database.config);
    onTestFinished(() => other.close());
    const gate = postgres(database.config.url, { max: 1, onnotice: () => {} });
    onTestFinished(() => gate.end());
    // Statements that read parts wait here while the gate holds the lock, so the test decides how slow they are.
    await gate.unsafe(`
      create function pass_gate() returns boolean language plpgsql volatile as
        'begin perform pg_advisory_lock_shared(7); perform pg_advisory_unlock_shared(7); return true; end';
      alter table parts rename to kept_parts;
      create view parts as select * from kept_parts where (select pass_gate());
    `);
    const clock = createFakeClock();
    const [sweeper, uploader] = [database.db, other.db].map((db) =>
      createBlobJournal({ db, clock, storeKind: 'memory' }),
    );
    if (!sweeper || !uploader) throw new Error('two journals were made');
    const fileId = createId();
    await database.db.insert(files).values({
      id: fileId,
      ownerKeyHash: randomBytes(32).toString('hex'),
      name: 'a',
      mediaType: 'text/plain',
      state: 'uploading',
      leaseUntil: new Date(clock.now() + 3_600_000),
    });
    const part = {
      ...{ fileId, key: randomBytes(32), position: 0, fileOffset: 0, sizeBytes: 10, segments: [] },
      ...{ signal: new AbortController().signal, onTaken() {}, onStored() {}, onFailed() {} },
    };
    return {
      ...{ db: database.db, clock, sweeper, uploader },
      sealed: [{ part, blobOffset: 0, noncePrefix: randomBytes(7) }],
      closeGate: () => gate.unsafe('select pg_advisory_lock(7)'),
      openGate: () => gate.unsafe('select pg_advisory_unlock(7)'),
      countWaiting: async () =>
        (
          await gate.unsafe(
            "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
          )
        ).length,
    };
  };

  it('keeps a blob that a file begins to use while the sweeper checks it', async () => {
    const stage = await start();
    const blob = await stage.uploader.intend(10, LEASE_MS);
    await stage.clock.advance(2 * LEASE_MS);

    await stage.closeGate();
    const claiming = stage.sweeper.claimRemovable({ stores: ['memory'], leaseMs: LEASE_MS, limit: 10 });
    await vi.waitFor(async () => expect(await stage.countWaiting()).toBe(1));
    expect(await stage.uploader.markStored(blob, { name: blob.name }, stage.sealed)).toBe(true);
    await stage.openGate();

    expect(await claiming).toEqual([]);
    expect(await stage.db.$count(parts)).toBe(1);
    expect(await stage.db.select({ state: blobs.state, id: blobs.id }).from(blobs)).toEqual([
      { state: 'stored', id: blob.id },
    ]);
  });

  it('refuses a blob to a file after the sweeper has taken it', async () => {
    const stage = await start();
    const blob = await stage.uploader.intend(10, LEASE_MS);
    await stage.clock.advance(2 * LEASE_MS);
    const claimed = await stage.sweeper.claimRemovable({ stores: ['memory'], leaseMs: LEASE_MS, limit: 10 });
    expect(claimed.map(({ id }) => id)).toEqual([blob.id]);
    expect(await stage.uploader.markStored(blob, { name: blob.name }, stage.sealed)).toBe(false);
    expect(await stage.db.$count(parts)).toBe(0);

    // The late answer of the store: its location is recorded although the sweeper did not know it.
    for (const removable of claimed) await stage.sweeper.forget(removable);
    const again = await stage.sweeper.claimRemovable({ stores: ['memory'], leaseMs: LEASE_MS, limit: 10 });
    expect(again.map(({ locator }) => locator)).toEqual([{ name: blob.name }]);
  });
});
