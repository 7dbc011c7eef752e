import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { createStoredSettings } from '../../src/core/stored-settings/index.ts';
import { storedSettings } from '../../src/database/schema/index.ts';
import { createStorageHarnessOn, type StorageHarness } from '../support/harness/storage.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createScriptedBlobStore } from '../support/stores/scripted-blob-store.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const database = startBeforeAll(() => createEmbeddedTestDatabase());
afterEach(() => database.db.execute(sql`truncate files, blobs, parts cascade`));

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const FILES = 250;
const ALL_REWRAPPED = 'no file needs a former encryption key';
const SOME_LOST = 'files have an encryption key that is not among the settings';

/** Advances the clock until the storage has logged this. */
async function untilLogged({ clock, logLines }: StorageHarness, text: string): Promise<void> {
  for (let round = 0; !logLines.some((line) => line.includes(text)); round++) {
    if (round > 1000) throw new Error(`Never logged: ${text}\n${logLines.join('\n')}`);
    await clock.advance(20);
  }
}

it('all files get the present encryption key, whenever processes end, and stay readable', async () => {
  const store = createScriptedBlobStore();
  const open = (encryptionKey: Buffer, formerEncryptionKeys: readonly Buffer[] = []) =>
    createStorageHarnessOn(database.db, store, { encryptionKey, formerEncryptionKeys });
  const before = open(oldKey);
  const contents = Array.from({ length: FILES }, () => randomBytes(randomInt(1, 40)));
  const files = await before.elapse(
    Promise.all(contents.map(async (bytes) => ({ ...(await before.upload(bytes)), bytes }))),
  );
  const expectReadable = async (harness: typeof before, some = files) => {
    for (const { id, bytes } of some) expect((await harness.read(id)).equals(bytes)).toBe(true);
  };
  // Processes of the first step of a change: they write with the old key and read both.
  const both = open(oldKey, [newKey]);
  for (let life = 0; life < 4; life++) {
    const dying = open(newKey, [oldKey]);
    dying.storage.start();
    await new Promise((resolve) => setTimeout(resolve, randomInt(60)));
    await dying.storage.close();
    await expectReadable(both, files.slice(0, 5));
  }
  const last = open(newKey, [oldKey]);
  last.storage.start();
  await untilLogged(last, ALL_REWRAPPED);
  await expectReadable(open(newKey));
  await expect(open(oldKey).read(files[0]?.id ?? '')).rejects.toThrow('another encryption key');
  await last.storage.close();
});

it('files whose key is lost are counted, and others get the present key', async () => {
  const store = createScriptedBlobStore();
  const open = (encryptionKey: Buffer, formerEncryptionKeys: readonly Buffer[] = []) =>
    createStorageHarnessOn(database.db, store, { encryptionKey, formerEncryptionKeys });
  const lost = await open(randomBytes(32)).upload(Buffer.from('lost'));
  const before = open(oldKey);
  // Their ids are random: some of them come after the lost one.
  const kept: { readonly id: string; readonly text: string }[] = [];
  for (let file = 1; file <= 20; file++)
    kept.push({ ...(await before.upload(Buffer.from(`file ${file}`))), text: `file ${file}` });
  const harness = open(newKey, [oldKey]);
  harness.storage.start();
  await untilLogged(harness, SOME_LOST);
  expect(harness.logLines.join('\n')).toContain(`"rewrapped":${kept.length},"unreadable":1,`);
  const after = open(newKey);
  for (const { id, text } of kept) expect(String(await after.read(id))).toBe(text);
  await expect(after.read(lost.id)).rejects.toThrow('another encryption key');
  await harness.storage.close();
});

it('stored settings are read with former keys, and get the present one', async () => {
  const { db } = database;
  const settings = createStoredSettings({ db, clock: createFakeClock() });
  const change = {
    admin: { adminId: 1, adminTelegramId: 1 },
    action: 'set-setting' as const,
    revision: 0,
    notes: new Map(),
  };
  await settings.store(oldKey, { ...change, values: new Map([['variable:DEFAULT_MODEL', 'first']]) });
  await settings.store(oldKey, { ...change, revision: 1, values: new Map([['variable:DEFAULT_MODEL', 'second']]) });
  const read = async (...keys: Buffer[]) => {
    const [setting] = (await settings.read(keys)).settings;
    return [setting?.state, setting?.value, setting?.formerValue];
  };
  expect(await read(newKey)).toEqual(['unreadable', undefined, undefined]);
  expect(await read(newKey, oldKey)).toEqual(['stored', 'second', 'first']);
  for (let start = 0; start < 2; start++) await settings.rewrap([newKey, oldKey]);
  expect(await read(newKey)).toEqual(['stored', 'second', 'first']);
  expect(await read(oldKey)).toEqual(['unreadable', undefined, undefined]);
  // A key that is lost leaves the row as it is.
  await settings.rewrap([oldKey]);
  expect(await read(newKey)).toEqual(['stored', 'second', 'first']);
  await db.delete(storedSettings);
});
