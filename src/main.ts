import { existsSync, statSync } from 'node:fs';
import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { readEnvironment } from './config/env.ts';
import { isBuilt } from './lib/layout.ts';

/** All files created by this process and by its tools' processes are inaccessible to other users. */
process.umask(0o077);

// A bundle is compiled about as fast as it is read, and has no packages to resolve.
if (!isBuilt) {
  cacheCompiledModules(resolve(readEnvironment().values['DATA_DIR'] || 'data'));
  resolveQuickly('drizzle-orm');
}
await import('./command.ts');

/**
 * Lets Node store compiled modules in `DATA_DIR`, which spares later starts a second. What is there is executed, so it must
 * be a folder that only this user can change. The first start, which creates it, has enough to do.
 */
function cacheCompiledModules(directory: string): void {
  if (existsSync(directory) && isPrivate(directory)) enableCompileCache(join(directory, 'compile-cache'));
}

function isPrivate(directory: string): boolean {
  const { uid, mode } = statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

/**
 * Resolves imports of a package, and those between its modules. For each of a thousand, Node would parse the 180 KB of its
 * `package.json` again, which takes a third of a start.
 */
function resolveQuickly(packageName: string): void {
  const known = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      if (specifier.startsWith('.') && parentURL.includes(`/node_modules/${packageName}/`))
        return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
      if (!specifier.startsWith(packageName)) return next(specifier, context);
      const found = known.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
      known.set(specifier, found);
      return found;
    },
  });
}
