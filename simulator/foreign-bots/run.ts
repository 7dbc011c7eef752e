import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator, listenSimulator } from '../src/index.ts';
import { talk } from './conversation.ts';

/** Commands that install a bot in the working directory, and the command that starts it there. */
interface ForeignBot {
  readonly install: readonly (readonly string[])[];
  readonly start: readonly string[];
}

const BOTS: { readonly [folder: string]: ForeignBot } = {
  grammy: {
    install: [['npm', 'install', '--no-package-lock', '--no-audit', '--no-fund', '--silent']],
    start: [process.execPath, 'bot.ts'],
  },
  aiogram: {
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
    ],
    start: ['venv/bin/python', 'bot.py'],
  },
  go: { install: [['go', 'build', '-o', 'echo', '.']], start: ['./echo'] },
};

const TOKEN = '7000001:AAtestTokenOfASimulatedBot_0123456789ab';

async function runBot(name: string, { install, start }: ForeignBot): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), `foreign-bot-${name}-`));
  const simulator = createSimulator({
    bots: [{ token: TOKEN, username: 'echo_bot', firstName: 'Echo' }],
    limits: 'telegram',
  });
  const { url, close } = await listenSimulator(simulator);
  let bot: ChildProcess | undefined;
  try {
    cpSync(new URL(`./${name}`, import.meta.url), folder, { recursive: true });
    for (const [command = '', ...args] of install) execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
    const [command = '', ...args] = start;
    const env = { ...process.env, BOT_TOKEN: TOKEN, API_ROOT: url };
    bot = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    return await talk(url);
  } finally {
    bot?.kill('SIGKILL');
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
for (const [name, bot] of Object.entries(BOTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n== ${name}`);
  console.log((await runBot(name, bot)).join('\n'));
}
