import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../harness/process.ts';
import { killChild, untilAnswers } from '../machine/child-processes.ts';
import { orSkip } from '../vitest/tiers.ts';

const PLACES = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/opt/homebrew/bin/nginx'];
const MISSING = 'nginx is not there: apt-get install nginx-light (or name its program in NGINX_PATH)';

/** Returns the path of an nginx executable: `NGINX_PATH`, or the system's. Skips like `orSkip`. */
export function findNginx(): string | undefined {
  const path = [process.env.NGINX_PATH ?? '', ...PLACES].find((chatTopic) => chatTopic !== '' && existsSync(chatTopic));
  return orSkip(path, MISSING);
}

/** Real nginx that serves a temporary folder. */
export type Nginx = Awaited<ReturnType<typeof startNginx>>;

/** Starts nginx as a single process of the current user, with the given directives in its server block. */
export async function startNginx(directives: string) {
  const program = findNginx();
  if (program === undefined) throw new Error(MISSING);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-nginx-'));
  const port = await findFreePort();
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/tmp;`,
  );
  await writeFile(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit; events {}
    http {
      access_log off; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port}; root ${folder}; ${directives} }
    }`,
  );
  const nginx = spawn(program, ['-c', config, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilAnswers(nginx, url);
  } catch (error) {
    await stop(nginx, folder);
    throw error;
  }
  return {
    /** `http://127.0.0.1:<port>`, without a trailing slash. */
    url,
    /** Writes a file to the folder. */
    async write(name: string, bytes: Buffer, modifiedAt: Date) {
      await writeFile(join(folder, name), bytes);
      await utimes(join(folder, name), modifiedAt, modifiedAt);
    },
    close: () => stop(nginx, folder),
  };
}

async function stop(nginx: ChildProcess, folder: string): Promise<void> {
  await killChild(nginx);
  await rm(folder, { recursive: true, force: true });
}
