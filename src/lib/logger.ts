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
  /** Receives each line at once. Default standard output, buffered for some milliseconds. */
  readonly destination?: DestinationStream;
}

const NOTHING = {};
/** Lines are buffered: a system call for each would cost more than the line itself. */
const BUFFER_BYTES = 8 * 1024;
const FLUSH_EVERY_MS = 20;

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
  const toCareful = (destination: Destination) =>
    toCarefulStream(destination, (lines) => redactSecrets(lines, listSecrets()).replace(AUTHORIZATION, '$1"[secret]"'));
  const root: Logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
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
    toCareful(options.destination ?? createOutput()),
  );
  return root;
}

/** Pino flushes its destination after a fatal line. */
type Destination = DestinationStream & { flushSync?(): void };

function toCarefulStream(destination: Destination, clean: (lines: string) => string): Destination {
  return { write: (lines) => destination.write(clean(lines)), flushSync: () => destination.flushSync?.() };
}

/** Standard output, written in batches. Pino flushes it when the process exits. */
function createOutput(): Destination {
  return pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_EVERY_MS });
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
