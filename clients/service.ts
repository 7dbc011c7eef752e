import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const START_TIMEOUT_MS = 120_000;
/** Closed port, so that an Ollama of the machine is not used. */
const NOWHERE = 'http://127.0.0.1:9';

export interface Service {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly key: string;
  /** Ends the process and removes its data. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts Switchboard with the embedded database on a free port. Without settings of a provider, the demonstration
 * answers.
 *
 * @throws with the output of the process if it does not start within two minutes
 */
export async function startService(settings: Readonly<Record<string, string>>): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-clients-'));
  const key = `sk-sb-${randomBytes(24).toString('base64url')}`;
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder,
      PORT: '0',
      OLLAMA_HOST: NOWHERE,
      UNIVERSAL_API_KEY: key,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const killNow = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killNow);
  const stop = async () => {
    child.kill();
    await exited;
    process.off('exit', killNow);
    await rm(folder, { recursive: true, force: true });
  };
  let output = '';
  const url = new Promise<string>((resolve) => {
    const read = (text: string) => {
      output += text;
      const address = /OpenAI API\s+(http:\S+)\/ai\/openai/.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
  });
  const deadline = sleep(START_TIMEOUT_MS, undefined, { ref: false });
  const address = await Promise.race([url, exited, deadline]);
  if (!address) {
    await stop();
    throw new Error(`the service did not start:\n${output}`);
  }
  return { url: address, key, stop };
}
