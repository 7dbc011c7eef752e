import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sleep } from '../../src/lib/clock.ts';
import { createStorageHarnessOn, toChunks } from '../support/harness/storage.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createScriptedBlobStore } from '../support/stores/scripted-blob-store.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

const PUTS_A_MINUTE = 20;
const FILE_BYTES = 10 * 1024;
const STEP_MS = 50;

describeOnEveryDatabase('storage with a slow store', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());

  /** Storage whose clock stands still while the database works, on a store that accepts 20 blobs a minute, evenly. */
  const createSlowStage = () => {
    const clock = createFakeClock();
    let busyCount = 0;
    let freeAt = clock.now();
    const db = watchDatabase(database.db, async (moment) => {
      busyCount += moment === 'before' ? 1 : -1;
    });
    const store = createScriptedBlobStore({
      async beforePut(signal) {
        const waitMs = Math.max(0, freeAt - clock.now());
        freeAt = Math.max(freeAt, clock.now()) + 60_000 / PUTS_A_MINUTE;
        await sleep(clock, waitMs, signal);
      },
    });
    const stage = createStorageHarnessOn(db, store, { clock, maxConcurrentUploads: 1001 });
    const elapse = async <Result>(work: Promise<Result>): Promise<Result> => {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await clock.advance(0);
        if (busyCount === 0) await clock.advance(STEP_MS);
      }
      return done;
    };
    return { ...stage, elapse };
  };

  it('stores 1,000 files of 10 KiB at 20 blobs a minute in less than 90 seconds', EXHAUSTIVE, async () => {
    const stage = createSlowStage();
    const contents = Array.from({ length: 1000 }, () => randomBytes(FILE_BYTES));
    const startedAt = stage.clock.now();
    const uploads = await stage.elapse(
      Promise.all(
        contents.map((bytes) =>
          stage.storage.upload(toChunks(bytes), { name: 'small', mediaType: undefined }, stage.signal),
        ),
      ),
    );
    expect(stage.clock.now() - startedAt).toBeLessThan(90_000);
    expect(stage.store.callCounts.put).toBeLessThan(20);
    for (const index of [0, 499, 500, 999]) {
      const bytes = await stage.read(uploads[index]?.id ?? '');
      expect(bytes.equals(contents[index] ?? Buffer.of())).toBe(true);
    }
    await stage.storage.close();
  });

  it('stores a small file while a large upload is running', EXHAUSTIVE, async () => {
    const stage = createSlowStage();
    const order = { name: 'x', mediaType: undefined };
    const controller = new AbortController();
    const large = stage.storage.upload(toChunks(Buffer.alloc(400 * 1024 * 1024), 65_536), order, controller.signal);
    large.catch(() => {});
    await stage.elapse(sleep(stage.clock, 20_000));
    const startedAt = stage.clock.now();
    await stage.elapse(stage.storage.upload(toChunks(randomBytes(FILE_BYTES)), order, stage.signal));
    expect(stage.clock.now() - startedAt).toBeLessThanOrEqual(12_000);
    controller.abort(new Error('enough'));
    await stage.storage.close();
  });
});
