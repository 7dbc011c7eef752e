import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { once } from '../lib/async/once.ts';
import { isBuilt, ROOT } from '../lib/layout.ts';

const GIT_TIMEOUT_MS = 5000;
const packageFile = z.object({ version: z.string(), commit: z.string().optional() });

/** Reads the version of the service: `0.3.0`, or `0.3.1-dev+1a2b3c4` between releases, with the commit if it is known. */
export const readVersion = once(async (): Promise<string> => {
  const text = await readFile(new URL('package.json', ROOT), 'utf8');
  const { version, commit = isBuilt ? undefined : await readCommit() } = packageFile.parse(JSON.parse(text));
  return version.endsWith('-dev') && commit !== undefined ? `${version}+${commit}` : version;
});

/** Returns the commit of the checkout, or undefined if there is no repository or no Git. */
export async function readCommit(): Promise<string | undefined> {
  const repository = fileURLToPath(new URL('.git', ROOT));
  const command = [`--git-dir=${repository}`, 'rev-parse', '--short=7', 'HEAD'];
  const { stdout } = await promisify(execFile)('git', command, { timeout: GIT_TIMEOUT_MS }).catch(() => ({
    stdout: '',
  }));
  return stdout.trim() || undefined;
}
