import { existsSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { readEnvironment } from './config/env.ts';
import { isBuilt } from './lib/layout.ts';

/** All files created by this process and by its tools' processes are inaccessible to other users. */
process.umask(0o077);

/** False for `--check` and other options, which create nothing. */
const isRun = process.argv.length === 2;

// A bundle is compiled about as fast as it is read.
if (!isBuilt) cacheCompiledModules(resolve(readEnvironment().values['DATA_DIR'] || 'data'));
await import('./command.ts');

/**
 * Lets Node store compiled modules in `DATA_DIR`, which spares later starts a second. What is there is executed, so it must
 * be a folder that only this user can change; the first start creates it.
 */
function cacheCompiledModules(directory: string): void {
  if (existsSync(directory) ? isPrivate(directory) : isRun) enableCompileCache(join(directory, 'compile-cache'));
}

function isPrivate(directory: string): boolean {
  const { uid, mode } = statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
