import { type DestinationStream, type Logger, pino, type SerializedError, stdSerializers } from 'pino';
import { isJsonObject } from './json.ts';
import type { LogContext } from './log-context.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Lines below this level are dropped. Default `info`. */
  readonly level?: string;
  /** Values that must never appear in a line, wherever they stand in it (bot token, API keys), as they are now. Default none. */
  readonly secrets?: readonly string[] | (() => readonly string[]);
  /** On whose behalf lines are written. Default nobody's. */
  readonly context?: LogContext;
  /** Where lines go, each at once. Default standard output, where those of some milliseconds go together. */
  readonly destination?: DestinationStream;
}

const NOTHING = {};
/** Lines wait so long for others: a call of the system for each would cost more than making it. */
const TOGETHER_MS = 20;
/** So much does not wait. */
const TOGETHER_BYTES = 64 * 1024;

/**
 * Structured logs, one JSON object a line. Known secrets are cut out of the finished line,
 * so that a token inside a URL inside an error's message is caught as well; `Bearer` values and
 * tokens of Telegram's form are cut out even when nobody named them.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { secrets = [] } = options;
  const listSecrets = () =>
    (typeof secrets === 'function' ? secrets() : secrets)
      .filter((secret) => secret.length >= SHORTEST_SECRET)
      .flatMap((secret) => [secret, toJsonSpelling(secret)]);
  const toCareful = (destination: DestinationStream) =>
    toCarefulStream(destination, (lines) => redactSecrets(lines, listSecrets()).replace(AUTHORIZATION, '$1"[secret]"'));
  const root: Logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: createTimestamp(),
      serializers: { err: serializeError },
      // Children say it themselves.
      mixin: (_facts, _level, logger) => (logger === root ? options.context?.read() : undefined) ?? NOTHING,
      mixinMergeStrategy: (facts, more) => (more === NOTHING ? facts : { ...more, ...facts }),
      hooks: {
        // Without a message pino takes the error's, uncut.
        logMethod(args, method) {
          const [facts]: unknown[] = args;
          const error = args.length > 1 || !isJsonObject(facts) ? undefined : (facts['err'] ?? facts);
          if (error instanceof Error) method.call(this, facts, withoutParams(error.message));
          else method.apply(this, args);
        },
      },
    },
    // Secrets are cut out of many lines at once: that takes a fraction of doing it line by line.
    options.destination
      ? toCareful(options.destination)
      : gatherLines(toCareful(pino.destination({ fd: 1, sync: true }))),
  );
  return root;
}

function toCarefulStream(destination: DestinationStream, clean: (lines: string) => string): DestinationStream {
  return { write: (lines) => destination.write(clean(lines)) };
}

interface LineStream extends DestinationStream {
  /** Pino asks for it behind a fatal line. */
  flushSync(): void;
}

/**
 * Writes lines together, all of them before the process ends, and at once what may be the last that it says. They wait as bytes: the strings
 * have been put together of dozens of pieces, which the garbage collector would copy while they wait.
 */
function gatherLines(destination: DestinationStream): LineStream {
  const bytes = Buffer.allocUnsafeSlow(TOGETHER_BYTES);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const flushSync = () => {
    clearTimeout(timer);
    timer = undefined;
    const lines = bytes.toString('utf8', 0, length);
    length = 0;
    if (lines !== '') destination.write(lines);
  };
  let watchesEnd = false;
  return {
    write(line) {
      if (!watchesEnd) process.once('exit', flushSync);
      watchesEnd = true;
      const needed = Buffer.byteLength(line);
      if (length + needed > TOGETHER_BYTES) flushSync();
      if (needed > TOGETHER_BYTES) destination.write(line);
      else length += bytes.write(line, length);
      timer ??= setTimeout(flushSync, TOGETHER_MS);
    },
    flushSync,
  };
}

/** The time as pino writes it; most of it is the same for a second. */
function createTimestamp(): () => string {
  let second = Number.NaN;
  let prefix = '';
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      prefix = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
    }
    return `${prefix}${String(ms).padStart(3, '0')}Z"`;
  };
}

/** Errors of grammY and Drizzle carry what was to be sent or stored, people's own words: that part stays out. */
function serializeError(error: Error): SerializedError {
  const { payload: _payload, params: _params, ...facts } = stdSerializers.err(error);
  return { ...facts, message: withoutParams(facts.message), stack: withoutParams(facts.stack) } as SerializedError;
}

/** Drizzle: `Failed query: …`, then on a line of its own `params: …`, which may have line breaks in it. */
function withoutParams(text: string): string {
  return text.replace(/^params: [\s\S]*?(?=^[ \t]+at |$(?![\s\S]))/gm, 'params: […]\n');
}

/** How a secret stands in a line that is JSON, where it has quotes or backslashes in it. */
function toJsonSpelling(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** Shorter ones stand in innocent words. */
const SHORTEST_SECRET = 6;
const TELEGRAM_TOKEN = /\d{6,12}:[A-Za-z0-9_-]{30,}/g;
/** In a finished line, whatever it is a field of. Looking for it in each object before would cost as much as all the rest of a line. */
const AUTHORIZATION = /("(?:authorization|x-api-key)":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"\][:{}])*\])/gi;
const BEARER = /(bearer\s+)[^\s"'\\,}]+/gi;

/** Replaces every given secret, bearer value and Telegram token in `text` with `[secret]`. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let redacted = text.replace(TELEGRAM_TOKEN, '[secret]').replace(BEARER, '$1[secret]');
  for (const secret of secrets) if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, '[secret]');
  return redacted;
}
