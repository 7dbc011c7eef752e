import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/database/connect.ts';
import { makeDirectory } from '../../src/lib/make-directory.ts';

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/switchboard-test', import.meta.url));

/**
 * Copies an empty, migrated embedded database to `directory`, which must not exist. Creating one takes seconds of CPU
 * time and copying it a moment, so a template is cached in node_modules until migrations or PGlite change.
 */
export async function copyEmbeddedTemplate(directory: string): Promise<void> {
  // The asynchronous `cp` of `node:fs/promises` takes a second of CPU time for its more than a thousand files.
  cpSync(await getTemplate(), directory, { recursive: true });
}

let template: Promise<string> | undefined;

function getTemplate(): Promise<string> {
  template ??= findOrMakeTemplate();
  return template;
}

async function findOrMakeTemplate(): Promise<string> {
  const directory = join(CACHE, await describeTemplate());
  if (await exists(directory)) return directory;
  await makeDirectory(CACHE);
  const folder = await mkdtemp(join(CACHE, 'new-'));
  try {
    const made = join(folder, 'postgres');
    const connection = await openDatabase({ kind: 'embedded', directory: made });
    await connection.close();
    // Another process may have created the same template concurrently; either is fine.
    await rename(made, directory).catch(async (error: unknown) => {
      if (!(await exists(directory))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return directory;
}

/** Returns a cache key derived from the migrations and the version of PGlite. */
async function describeTemplate(): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  const pglite = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..', 'package.json');
  for (const path of [...files.map((name) => join(MIGRATIONS, name)), pglite]) hash.update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
