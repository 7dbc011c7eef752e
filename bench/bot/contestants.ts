import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createWorkFolder, type Settings, startService } from '../../test/support/harness/process.ts';
import type { Telegram } from './telegram.ts';

/** Compared bots: the usual edit loop, `@grammyjs/stream`, and this project. */
export type ContestantName = 'edits' | 'drafts' | 'switchboard';

/** `webhook` accepts updates and drops them. */
export type ContestantKind = ContestantName | 'webhook';

export const contestantNames: readonly ContestantName[] = ['edits', 'drafts', 'switchboard'];

/** Bot in a separate process that can be killed and restarted on the same data. */
export interface Contestant<Kind extends ContestantKind = ContestantName> {
  readonly name: Kind;
  /** Its simulated Telegram. */
  readonly telegram: Telegram;
  /** Process id of the newest process. */
  readonly pid: number;
  /** Starts a process after the previous one has ended; resolves when it accepts updates. */
  restart(): Promise<void>;
  /** Ends the process with a signal. @returns the duration in milliseconds */
  end(signal: NodeJS.Signals): Promise<number>;
  /** Ends the process and its Telegram, and deletes its data. */
  close(): Promise<void>;
}

/** Running process. */
interface Running {
  readonly pid: number;
  end(signal: NodeJS.Signals): Promise<number>;
}

const START_TIMEOUT_MS = 60_000;
const END_WITH_PARENT = join(import.meta.dirname, '../gateway/end-with-parent.ts');

/** Starts a process. `settings` are those of Switchboard; the other bots use the ones they know. */
export async function startContestant<Kind extends ContestantKind>(
  name: Kind,
  telegram: Telegram,
  settings: Settings,
): Promise<Contestant<Kind>> {
  const folder = await createWorkFolder();
  const all = { BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url, ...settings };
  const start = () => (name === 'switchboard' ? startSwitchboard(folder.path, all) : startPeer(name, all));
  const clear = () => Promise.all([telegram.close(), folder.remove()]);
  let running = await start().catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  return {
    name,
    telegram,
    get pid() {
      return running.pid;
    },
    async restart() {
      running = await start();
    },
    end: (signal) => running.end(signal),
    async close() {
      await running.end('SIGKILL');
      await clear();
    },
  };
}

async function startSwitchboard(folder: string, settings: Settings): Promise<Running> {
  const service = await startService(folder, {
    ...{ OPENAI_API_KEY: 'sk-loopback', OPENAI_MODELS: 'scripted', LOG_LEVEL: 'warn' },
    ...settings,
  });
  await service.isReady();
  return {
    pid: service.pid,
    async end(signal) {
      service.signal(signal);
      return (await service.ended()).durationMs;
    },
  };
}

async function startPeer(kind: string, settings: Settings): Promise<Running> {
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, join(import.meta.dirname, 'peer-bot.ts'), kind], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await saysSomething(child);
  return {
    pid: child.pid ?? 0,
    async end(signal) {
      const startedAt = performance.now();
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill(signal);
        await gone;
      }
      return performance.now() - startedAt;
    },
  };
}

async function saysSomething(child: ChildProcess): Promise<void> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
  });
  try {
    await Promise.race([once(child.stdout ?? child, 'data', { signal }), ended]);
  } finally {
    ended.catch(() => {});
    settled.abort();
  }
}
