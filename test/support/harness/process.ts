import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  BotSettings,
  BotView,
  ButtonPressed,
  ChatMessage,
  ControlEvent,
  ControlState,
} from 'telegram-bot-simulator';
import { copyEmbeddedTemplate } from '../stores/test-database.ts';
import type { Answer } from './http-users.ts';

/** Folder of this checkout, which runs its sources. */
export const CHECKOUT = join(import.meta.dirname, '../../..');
/** Layout that is run: the one that `SERVICE_LAYOUT` names (`scripts/build.ts`), or this checkout. */
export const LAYOUT = process.env['SERVICE_LAYOUT'] ?? CHECKOUT;
/** Arguments of `npm start` in the layout. */
export const serviceCommand: readonly string[] = readServiceCommand(LAYOUT);

const START_TIMEOUT_MS = 120_000;
const EXIT_TIMEOUT_MS = 120_000;
const PATIENCE_MS = 120_000;
/** Compile cache of Node: later processes start in two thirds of the time. */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/switchboard-test/compiled', import.meta.url));
/** Closed port, so that neither Ollama nor another service of the machine affects a test. */
const NOWHERE = 'http://127.0.0.1:9';

/** Another way to run the process than `serviceCommand`. */
export interface Launch {
  /** Folder of `package.json`. */
  readonly root: string;
  /** Path of Node. */
  readonly node: string;
  /** Undefined: the user of the test. */
  readonly userId: number | undefined;
}

/** Environment variables of a process, in addition to `PATH` and the compile cache. */
export type Settings = Readonly<Record<string, string>>;

/** Result of a process. */
export interface Ending {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Time from the last signal (or from the start, if there was none) to the exit. */
  readonly durationMs: number;
}

/** The service as a separate process. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

/**
 * Creates a folder for `DATA_DIR`, also used as working directory, so that no `.env` is read. The caller removes it.
 * @param isEmpty starts without a database, as on the very first start. Otherwise the embedded database exists already,
 * because creating it takes seconds.
 */
export async function createWorkFolder({ isEmpty = false } = {}): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-e2e-'));
  if (!isEmpty) await copyEmbeddedTemplate(join(toDataDirectory(path), 'postgres'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Starts the process and waits until it is running. @throws with its output if it exits before */
export async function startService(
  folder: string,
  settings: Settings = {},
  launch?: Launch,
  args: readonly string[] = [],
) {
  const process = spawnMain(folder, args, { PORT: '0', ...settings }, launch);
  await process.prints(/Switchboard is running/, START_TIMEOUT_MS);
  const url = /OpenAI API\s+(http:\S+)\/ai\/openai/.exec(process.output())?.[1] ?? '';
  const keyFile = /API key\s+in (\S+)/.exec(process.output())?.[1];
  const apiKey =
    settings['UNIVERSAL_API_KEY'] ?? (keyFile === undefined ? '' : (await readFile(keyFile, 'utf8')).trim());
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { signal: AbortSignal.timeout(60_000), ...init });
  return {
    ...process,
    /** `http://127.0.0.1:<port>`, as printed by the process. */
    url,
    /** Universal key from the settings, or from the file named by the process; empty if there is none. */
    apiKey,
    get,
    /** Sends a request with the universal key, or another. */
    post: (path: string, body: unknown, { key = apiKey, ...init }: RequestInit & { readonly key?: string } = {}) =>
      get(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...init,
      }),
    /** Resolves when `/readyz` succeeds. */
    isReady: () => eventually(async () => (await get('/readyz')).status === 200 || undefined).then(() => {}),
    /**
     * Returns the number of open descriptors (sockets, pipes, files), except those of its database, which are opened
     * lazily.
     */
    openDescriptors: () => countDescriptors(process.pid),
  };
}

/** Returns a function that sends requests to the process with a token, and reads the JSON of their answers. */
export function sendJson({ get }: Pick<RunningService, 'get'>, token: string) {
  return async (method: string, path: string, body?: object): Promise<Pick<Answer, 'status' | 'body'>> => {
    const response = await get(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
}

function toDataDirectory(folder: string): string {
  return join(folder, 'data');
}

async function countDescriptors(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  // A descriptor may be closed between the two calls.
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
  );
  return targets.filter((target) => target !== '' && !target.includes('/postgres/')).length;
}

/** Runs the process with options or invalid settings until it exits by itself. */
export async function runToEnd(
  folder: string,
  args: readonly string[],
  settings: Settings = {},
  launch?: Launch,
): Promise<Ending> {
  const process = startCommand(folder, args, settings, launch);
  try {
    return await process.ended();
  } finally {
    await process.kill();
  }
}

/** Starts the process with options that make it exit by itself. The test ends or awaits it. */
export function startCommand(folder: string, args: readonly string[], settings: Settings = {}, launch?: Launch) {
  return spawnMain(folder, args, { PORT: '0', ...settings }, launch);
}

function spawnMain(folder: string, args: readonly string[], settings: Settings, launch?: Launch) {
  const command = launch ? readServiceCommand(launch.root) : serviceCommand;
  const child = spawn(launch?.node ?? process.execPath, [...command, ...args], {
    cwd: folder,
    ...(launch?.userId === undefined ? {} : { uid: launch.userId, gid: launch.userId }),
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: COMPILED,
      DATA_DIR: toDataDirectory(folder),
      OLLAMA_HOST: NOWHERE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Kills the process if the test fails before it can stop it.
  const killNow = () => child.kill('SIGKILL');
  process.once('exit', killNow);
  child.once('close', () => process.off('exit', killNow));
  const outputs = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outputs[name] += text;
    });
  }
  const output = () => outputs.stdout + outputs.stderr;
  let since = Date.now();
  const gone = new Promise<Ending>((resolve) => {
    child.once('close', (code) => resolve({ code, ...outputs, durationMs: Date.now() - since }));
  });
  const ended = async () => {
    const ending = await withTimeout(gone, EXIT_TIMEOUT_MS, () => `the process does not end:\n${output()}`);
    expectCleanOutput(ending.stdout, output(), settings);
    return ending;
  };
  const end = (name: NodeJS.Signals) => {
    since = Date.now();
    child.kill(name);
    return ended();
  };
  return {
    pid: child.pid ?? 0,
    /** Returns everything written so far to stdout and stderr. */
    output,
    /** Resolves when the output matches. @throws after `timeoutMs`, default 120 s */
    prints: (pattern: RegExp, timeoutMs = PATIENCE_MS) => waitForOutput(child, output, pattern, timeoutMs),
    signal(name: NodeJS.Signals) {
      since = Date.now();
      child.kill(name);
    },
    /** Resolves when the process has exited. @throws after 120 s */
    ended,
    /** Sends SIGTERM and waits for the exit. */
    stop: () => end('SIGTERM'),
    /** Sends SIGKILL and waits for the exit. Has no effect after the exit. */
    kill: () => end('SIGKILL'),
  };
}

/** Settings that are or contain secrets. */
const SECRET = /(?:_TOKENS?|_KEY|_SECRET|_HEADERS|^DATABASE_URL|^SD_WEBUI_URL|^SEARXNG_URL)$/;

/**
 * Checks the output of a process: it must not contain secrets, and lines that look like log lines must be valid.
 * @throws an Error that describes the problem without the secret
 */
function expectCleanOutput(stdout: string, output: string, settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    if (!SECRET.test(name)) continue;
    const secrets = URL.canParse(value) ? [new URL(value).password] : value.split(/[,= ]+/);
    // Plain words may occur in the output for other reasons.
    const isLeaked = secrets.some((secret) => /^(?=.*[\d-]).{8,}$/.test(secret) && output.includes(secret));
    if (isLeaked) throw new Error(`the value of ${name} is in the output of the process`);
  }
  // The last line of a killed process may be incomplete.
  for (const line of stdout.split('\n').slice(0, -1)) {
    if (!line.startsWith('{')) continue;
    const { level, time, msg } = JSON.parse(line);
    if (typeof level !== 'number' || typeof time !== 'string' || typeof msg !== 'string')
      throw new Error(`this is no line of the log: ${line}`);
  }
}

function waitForOutput(child: ChildProcess, output: () => string, pattern: RegExp, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.stderr?.off('data', look);
      child.off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const look = () => {
      if (pattern.test(output())) settle();
    };
    const onClose = () => settle(new Error(`the process has ended without saying ${pattern}:\n${output()}`));
    const timer = setTimeout(
      () => settle(new Error(`not said within ${timeoutMs} ms: ${pattern}\n${output()}`)),
      timeoutMs,
    );
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', onClose);
    look();
  });
}

/** Resolves with the first defined result of `look`. @throws after `timeoutMs`, default 120 s */
export async function eventually<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  timeoutMs = PATIENCE_MS,
): Promise<Value> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(`it did not happen within ${timeoutMs} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function withTimeout<Value>(work: Promise<Value>, timeoutMs: number, describe: () => string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => reject(new Error(describe())), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Returns a free port of this machine. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Opens the private chat of the playground's first user, with an event stream like that of the page. */
export async function openPlaygroundChat(service: RunningService) {
  const control = async <Answer>(path: string, body?: unknown) => {
    const answer = await service.get(`/playground/control/${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const state = () => control<ControlState>('state');
  const chat = (await state()).chats.find(({ type }) => type === 'private');
  if (!chat) throw new Error('the playground has no private chat');
  const events: ControlEvent[] = [];
  const leaving = new AbortController();
  const stream = await service.get('/playground/control/events', { signal: leaving.signal });
  void collectEvents(stream, events);
  return {
    chat,
    /** All events since the user connected. */
    events,
    /** Changes settings of the bot, as its owner does at BotFather. */
    configuresBot: (settings: BotSettings) => control<BotView>('bot', settings),
    /** @returns the message as the bot gets it. */
    writes: (text: string) => control<ChatMessage>(`chats/${chat.id}/messages`, { text }),
    /** Presses a button of the first row. */
    presses: (messageId: number, column: number) =>
      control<ButtonPressed>(`chats/${chat.id}/messages/${messageId}/press`, { row: 0, column }),
    messages: async () => (await state()).messages[chat.id] ?? [],
    leaves: () => leaving.abort(),
  };
}

async function collectEvents(stream: Response, events: ControlEvent[]): Promise<void> {
  let unread = '';
  try {
    for await (const text of (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const lines = `${unread}${text}`.split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
    }
  } catch {
    // The user has disconnected, or the process has exited.
  }
}

/**
 * Returns the arguments of `npm start` in a checkout, Node options included, with absolute paths, for any working
 * directory.
 */
export function readServiceCommand(root: string): readonly string[] {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const [, ...startWords] = (scripts['start'] ?? '').split(' ');
  return startWords.map((word) => (/\.c?[jt]s$/.test(word) ? join(root, word) : word));
}
