import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '1.15.2';
/** Newer versions break its streams. */
const NODE_SERVER_VERSION = '1.13.5';

/**
 * Installs the gateway `@portkey-ai/gateway` for comparison, once per machine in the temporary folder, outside of this
 * project.
 * @returns path of the program
 * @throws Error if npm could not install it
 */
export function installPortkey(): string {
  const folder = join(tmpdir(), `switchboard-bench-portkey-${VERSION}`);
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, overrides: { '@hono/node-server': NODE_SERVER_VERSION } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const parameters = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `@portkey-ai/gateway@${VERSION}`];
  const { status, stderr } = spawnSync('npm', parameters, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm could not install Portkey (--without-portkey goes without it): ${stderr}`);
  return program;
}

/** Returns the headers that tell Portkey its upstream, without further configuration. */
export function toPortkeyHeaders(providerOrigin: string): Readonly<Record<string, string>> {
  return { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${providerOrigin}/v1` };
}
