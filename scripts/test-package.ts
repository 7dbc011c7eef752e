/**
 * Packs what `npm run build` has made, and starts it with `npx` from an empty folder, until the first answer. Needs the
 * registry of npm.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../src/lib/layout.ts';

const START_TIMEOUT_MS = 300_000;
const run = promisify(execFile);

for (const name of ['telegram-bot-simulator', 'switchboard']) {
  const folder = await mkdtemp(join(tmpdir(), `${name}-package-`));
  try {
    await test(name, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function test(name: string, folder: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: fileURLToPath(new URL(`dist/${name}/`, ROOT)),
  });
  const [archive = ''] = await readdir(folder);
  const startedAt = performance.now();
  const options = name === 'switchboard' ? [] : ['--port', '0'];
  const child = spawn('npx', ['--yes', '--package', join(folder, archive), '--', name, ...options], {
    cwd: folder,
    env: { ...readEnvironment(name), PORT: '0', npm_config_cache: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that everything that npx has started ends with it.
    detached: true,
  });
  const timer = setTimeout(() => end(child.pid), START_TIMEOUT_MS);
  try {
    const answer = await readAnswer(name, folder, child.stdout.setEncoding('utf8'));
    process.stdout.write(`${name}: ${Math.round(performance.now() - startedAt)} ms from nothing to: ${answer}\n`);
  } finally {
    clearTimeout(timer);
    end(child.pid);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Waits for the address that the process prints, and returns the beginning of its first answer. */
async function readAnswer(name: string, folder: string, output: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of output) {
    text += part;
    const url = /(?:OpenAI API +|)(http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
    if (url === undefined || !text.endsWith('\n')) continue;
    const answer = name === 'switchboard' ? await askModel(url, folder) : await fetch(`${url}/playground/`);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    return (await answer.text()).replaceAll(/\s+/g, ' ').slice(0, 200);
  }
  throw new Error(`${name} has ended without an address:\n${text}`);
}

async function askModel(url: string, folder: string): Promise<Response> {
  const key = (await readFile(join(folder, 'data/universal-api-key'), 'utf8')).trim();
  return fetch(`${url}/ai/openai/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

/**
 * Returns the environment without what npm has added: with it, npx would look into this checkout. The service is started
 * by the machine's own Node.js, whatever its version.
 */
function readEnvironment(name: string): NodeJS.ProcessEnv {
  const bin = fileURLToPath(new URL('node_modules/.bin', ROOT));
  const own = Object.entries(process.env).filter(([variable]) => !variable.startsWith('npm_'));
  const { PATH = '', ...others } = Object.fromEntries(own);
  const folders = PATH.split(':').filter((folder) => folder !== bin);
  return { ...others, PATH: [...(name === 'switchboard' ? [] : [dirname(process.execPath)]), ...folders].join(':') };
}

function end(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
