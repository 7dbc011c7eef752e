import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/connect.ts';
import { messages } from '../../src/database/schema/index.ts';
import { DirectoryInUseError } from '../../src/lib/files/directory-lock.ts';
import { createEmbeddedTestDatabase, describeOnEveryDatabase } from '../support/stores/test-database.ts';

const writer = fileURLToPath(new URL('../support/programs/database-writer.ts', import.meta.url));

describeOnEveryDatabase('durability', (createDatabase) => {
  it('every acknowledged message survives kill -9, three times in a row', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.close());
    // The embedded database belongs to one process at a time: the writer gets it first, the test gets it back at the end.
    if (database.config.kind === 'embedded') await database.release();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [writer, JSON.stringify(database.config), String(round)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      acknowledged.push(...(await readUntilKilled(child, 20)));
    }
    const reopened = await openDatabase(database.config);
    const kept = new Set(
      (await reopened.db.select({ content: messages.content }).from(messages)).map((row) => row.content),
    );
    await reopened.close();
    expect(acknowledged.length).toBeGreaterThanOrEqual(60);
    expect(acknowledged.filter((content) => !kept.has(content))).toEqual([]);
  });

  it('several processes can start on a new database at once; the embedded one reports an error to all but the first', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.close());
    const others = await Promise.allSettled([openDatabase(database.config), openDatabase(database.config)]);
    for (const other of others) {
      if (other.status === 'fulfilled') await other.value.close();
      else expect(other.reason).toBeInstanceOf(DirectoryInUseError);
    }
    const expected = database.config.kind === 'embedded' ? 'rejected' : 'fulfilled';
    expect(others.map((other) => other.status)).toEqual([expected, expected]);
    await database.ping();
  });
});

// Root may change everything.
it.skipIf(process.getuid?.() === 0)('an embedded database that this user may not change is refused', async () => {
  const database = await createEmbeddedTestDatabase({ isNew: true });
  onTestFinished(() => database.close());
  await database.release();
  const directory = database.config.kind === 'embedded' ? database.config.directory : '';
  await chmod(join(directory, 'global'), 0o500);
  await expect(openDatabase(database.config)).rejects.toMatchObject({
    isUnsuitable: true,
    message: expect.stringContaining('read-only for this user'),
  });
  await chmod(join(directory, 'global'), 0o700);
  await (await openDatabase(database.config)).close();
});

async function readUntilKilled(child: ChildProcess, lineCount: number): Promise<string[]> {
  const lines: string[] = [];
  if (!child.stdout) throw new Error('The writer has no output');
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === lineCount) child.kill('SIGKILL');
  }
  await exited;
  return lines;
}
