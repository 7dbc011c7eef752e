import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '1.15.2';
/** With newer ones its streams break off. */
const NODE_SERVER_VERSION = '1.13.5';

/**
 * The gateway of `@portkey-ai/gateway`, to compare with: installed once into the machine's temporary folder, never into this project.
 * @returns the program. @throws Error where npm could not install it.
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

/** How a request tells Portkey where to go: without any configuration of its own. */
export function toPortkeyHeaders(providerOrigin: string): Readonly<Record<string, string>> {
  return { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${providerOrigin}/v1` };
}
