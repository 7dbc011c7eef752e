import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceCommand } from '../../test/support/harness/process.ts';
import { endProcess, startNode } from '../gateway/child-process.ts';
import { awaitPort, findFreePorts } from '../gateway/targets.ts';
import type { TelegramOrder, TelegramReport } from './simulated-telegram.ts';
import type { Transfer, TransferReport } from './transfer.ts';

/** Processes of a run: a bare server, a client, and the service with its file store. */
export interface Stage {
  readonly bareUrl: string;
  readonly serviceUrl: string;
  readonly servicePid: number;
  readonly barePid: number;
  /**
   * Transfers files in the client, concurrently.
   * @throws Error if one was incomplete.
   */
  move(transfers: readonly Transfer[]): Promise<Extract<TransferReport, { samples: unknown }>>;
  /** Sets the latency of `getFile` in the simulated Telegram. */
  delayGetFile(ms: number): Promise<void>;
  /** Restarts the service on the same data, without its cached file paths. */
  restartService(): Promise<void>;
  /** Ends all processes and deletes their data. */
  close(): Promise<void>;
}

export type Place = 'telegram' | 'disk';

/** Telegram allows each bot 20 messages a minute and 19 MiB in 0.95 s. With this many bots, uploads never wait. */
const BOT_COUNT = 12;
const TIME_LIMIT_MS = 15 * 60_000;
const START_LIMIT_MS = 60_000;

/**
 * Starts everything on loopback. If a process fails, the others are ended.
 * @param databaseUrl undefined: the embedded database in a temporary folder.
 */
export async function openStage(place: Place, databaseUrl: string | undefined): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(endProcess));
    await rm(directory, { recursive: true, force: true });
  };
  const start = (...parameters: Parameters<typeof startNode>) => {
    const child = startNode(...parameters);
    children.push(child);
    return child;
  };
  const startOwn = (program: string, ...parameters: readonly unknown[]) =>
    start([join(import.meta.dirname, program), ...parameters.map(String)], { core: undefined });
  try {
    const [barePort = 0, telegramPort = 0, servicePort = 0] = await findFreePorts(3);
    const bare = startOwn('bare-server.ts', barePort);
    const client = startOwn('transfer-client.ts');
    const telegram = place === 'telegram' ? startOwn('simulated-telegram.ts', telegramPort, BOT_COUNT) : undefined;
    const settings = telegram && toSettings(telegramPort, await nextMessage<TelegramReport>(telegram, START_LIMIT_MS));
    const startService = async () => {
      const child = start(['--import', join(import.meta.dirname, '../gateway/end-with-parent.ts'), ...serviceCommand], {
        core: undefined,
        directory,
        environment: {
          ...{ PORT: String(servicePort), DATA_DIR: join(directory, 'data'), UPLOAD_MB_PER_DAY: '0' },
          ...settings,
          ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        },
      });
      await awaitPort(servicePort, child);
      return child;
    };
    let service = await startService();
    await awaitPort(barePort, bare);
    return {
      bareUrl: `http://127.0.0.1:${barePort}`,
      serviceUrl: `http://127.0.0.1:${servicePort}`,
      get servicePid() {
        return service.pid ?? 0;
      },
      barePid: bare.pid ?? 0,
      async move(transfers) {
        client.send({ transfers, timeLimitMs: TIME_LIMIT_MS });
        const report = await nextMessage<TransferReport>(client, 2 * TIME_LIMIT_MS);
        if ('samples' in report) return report;
        throw new Error(report.problem);
      },
      async delayGetFile(getFileMs) {
        telegram?.send({ getFileMs } satisfies TelegramOrder);
        if (telegram) await nextMessage<TelegramReport>(telegram, START_LIMIT_MS);
      },
      async restartService() {
        await endProcess(service);
        service = await startService();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function toSettings(port: number, { tokens, chatId }: TelegramReport): Readonly<Record<string, string>> {
  return {
    BOT_TOKEN: tokens[0] ?? '',
    // The first bot chats, the others store files.
    STORAGE_BOT_TOKENS: tokens.slice(1).join(','),
    STORAGE_CHAT_IDS: String(chatId),
    TELEGRAM_API_ROOT: `http://127.0.0.1:${port}`,
  };
}

async function nextMessage<Message>(child: ChildProcess, timeoutMs: number): Promise<Message> {
  const [message]: Message[] = await once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) });
  if (message === undefined) throw new Error('a process said nothing');
  return message;
}
