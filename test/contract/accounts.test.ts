import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  ensureUniversalKey,
  rotateUniversalKey,
  UniversalKeyFileError,
} from '../../src/core/accounts/index.ts';
import { apiKeys } from '../../src/database/schema/index.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('accounts', (createDatabase) => {
  let database: TestDatabase;
  let accounts: Accounts;
  let folder: string;
  const keyPath = () => join(folder, 'universal-api-key');
  const clock = createFakeClock();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-key-'));
    database = await createDatabase();
    accounts = createAccounts({ db: database.db, clock, adminIds: [77] });
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('creates one user for a Telegram account, however many messages arrive at the same time', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureTelegramUser(5_000_000_001)));
    expect(new Set(users.map((person) => person.id)).size).toBe(1);
    expect(users[0]).toMatchObject({ telegramId: 5_000_000_001, role: 'user', settings: {} });
  });

  it('treats a user as an admin only while the user is in the list of admins', async () => {
    expect((await accounts.ensureTelegramUser(77)).role).toBe('admin');
    const later = createAccounts({ db: database.db, clock, adminIds: [] });
    expect((await later.ensureTelegramUser(77)).role).toBe('user');
  });

  it('changes settings field by field and resets a field to its default by undefined', async () => {
    const { id } = await accounts.ensureTelegramUser(2);
    await Promise.all([
      accounts.updateSettings(id, { model: 'o\'model "1"' }),
      accounts.updateSettings(id, { systemPrompt: 'Рифмуй 🙂' }),
    ]);
    expect((await accounts.ensureTelegramUser(2)).settings).toEqual({
      model: 'o\'model "1"',
      systemPrompt: 'Рифмуй 🙂',
    });
    const changed = await accounts.updateSettings(id, { model: undefined, language: 'ru' });
    expect(changed.settings).toEqual({ systemPrompt: 'Рифмуй 🙂', language: 'ru' });
  });

  it('creates the universal key once among several processes, as plain text in a file and as a hash in the database', async () => {
    const paths = [0, 1, 2, 3].map((number) => join(folder, `process-${number}`, 'universal-api-key'));
    const starts = await Promise.all(paths.map((path) => ensureUniversalKey(database.db, undefined, path)));
    const [made, ...more] = starts.filter(({ kind }) => kind === 'file');
    expect(more).toEqual([]);
    if (made?.kind !== 'file') throw new Error('no process has made a key');
    expect(made.secret).toMatch(/^sk-sb-[\w-]{43}$/);
    expect(starts.filter((start) => start !== made)).toEqual(
      paths.filter((path) => path !== made.path).map((path) => ({ kind: 'elsewhere', path })),
    );
    expect(await readFile(made.path, 'utf8')).toBe(`${made.secret}\n`);
    expect((await stat(made.path)).mode & 0o777).toBe(0o600);
    expect(await ensureUniversalKey(database.db, undefined, made.path)).toEqual(made);
    const key = made.secret;
    const identity = await accounts.findByApiKey(key);
    expect(identity?.userId).toBeTypeOf('number');
    const rows = await database.db
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.id, identity?.keyId ?? 0));
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('replaces the universal key by a rotated one within a second and keeps its user number', async () => {
    const first = await rotateUniversalKey(database.db, keyPath());
    const owner = (await accounts.findByApiKey(first))?.userId;
    expect(owner).toBeTypeOf('number');
    const second = await rotateUniversalKey(database.db, keyPath());
    await clock.advance(1000);
    expect(await accounts.findByApiKey(first)).toBeUndefined();
    expect((await accounts.findByApiKey(second))?.userId).toBe(owner);
    expect((await readFile(keyPath(), 'utf8')).trim()).toBe(second);
  });

  it('creates no universal key when its file can not be written, and the old key stays valid', async () => {
    const key = await rotateUniversalKey(database.db, keyPath());
    await writeFile(join(folder, 'no-folder'), '');
    const path = join(folder, 'no-folder', 'universal-api-key');
    await expect(rotateUniversalKey(database.db, path)).rejects.toThrow(UniversalKeyFileError);
    expect(await accounts.findByApiKey(key)).toBeDefined();
    await ensureUniversalKey(database.db, 'off', keyPath());
    await expect(stat(keyPath())).rejects.toThrow('ENOENT');
    await expect(ensureUniversalKey(database.db, undefined, path)).rejects.toThrow(UniversalKeyFileError);
    expect(await ensureUniversalKey(database.db, undefined, keyPath())).toMatchObject({ kind: 'file' });
  });

  it('replaces any universal key by the one in the settings, and accepts an earlier one again', async () => {
    for (const key of ['first-configured-key', 'second-configured-key', 'first-configured-key']) {
      expect(await ensureUniversalKey(database.db, key, keyPath())).toEqual({ kind: 'configured' });
      await clock.advance(1000);
      expect(await accounts.findByApiKey(key)).toBeDefined();
    }
    expect(await accounts.findByApiKey('second-configured-key')).toBeUndefined();
  });

  it('finds no owner for unknown keys', async () => {
    expect(await accounts.findByApiKey('')).toBeUndefined();
    expect(await accounts.findByApiKey("' or 1=1 --")).toBeUndefined();
  });
});
