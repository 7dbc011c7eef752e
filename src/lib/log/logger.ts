import { type DestinationStream, type Logger, pino, type SerializedError, stdSerializers } from 'pino';
import { ExpectedError } from '../errors/expected-error.ts';
import { isJsonObject } from '../json/json.ts';
import type { LogContext } from './log-context.ts';
import type { RecentLog } from './recent-log.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Lines below this level are dropped. Default `info`. */
  readonly level?: string;
  /** Values that are redacted everywhere in a line (bot token, API keys); more may be added later. Default none. */
  readonly secrets?: ReadonlySet<string>;
  /** Adds fields of the current request or update. Default none. */
  readonly context?: LogContext;
  /** Remembers warnings and errors. Default: they are only written. */
  readonly recentLog?: Pick<RecentLog, 'add'>;
  /** Receives each finished line, to export it. Default: none. */
  readonly exporter?: { add(line: string): void } | undefined;
  /** Receives each line at once. Default: standard output, buffered for some milliseconds. */
  readonly destination?: DestinationStream;
}

const NOTHING = {};
const FATAL = pino.levels.values['fatal'] ?? 60;
/** Lines are buffered, because a system call for each would cost more than the line itself. */
const BUFFER_BYTES = 8 * 1024;
const FLUSH_EVERY_MS = 20;

/**
 * Creates a logger that writes one JSON object per line. Secrets are redacted in the finished line, so that a token in
 * a URL in an error message is found as well. `Bearer` values and strings that look like Telegram tokens are always
 * redacted.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const redact = createLineRedactor(options.secrets ?? new Set());
  const toCareful = (destination: Destination) =>
    toCarefulStream(destination, (lines) => {
      const clean = redact(lines);
      options.recentLog?.add(clean);
      options.exporter?.add(clean);
      return clean;
    });
  const root: Logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      // Child loggers contain the fields already.
      mixin: (_facts, _level, logger) => (logger === root ? options.context?.read() : undefined) ?? NOTHING,
      mixinMergeStrategy: (facts, more) => (more === NOTHING ? facts : { ...more, ...facts }),
      hooks: {
        // Without a message pino uses the error's message unfiltered.
        logMethod(args, method, level) {
          const [facts]: unknown[] = args;
          if (level < FATAL && isJsonObject(facts) && facts['err'] instanceof ExpectedError) return;
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

/** Pino flushes its destination after a fatal line, and for `logger.flush`. */
type Destination = DestinationStream & { flushSync?(): void; flush?(done: (error?: Error) => void): void };

function toCarefulStream(destination: Destination, clean: (lines: string) => string): Destination {
  return {
    write: (lines) => destination.write(clean(lines)),
    flushSync: () => destination.flushSync?.(),
    flush: (done) => (destination.flush ? destination.flush(done) : done()),
  };
}

/**
 * Opens standard output with batched writes. Pino flushes it when the process exits, but a batch whose writing has begun
 * may then be lost: `logger.flush` waits for it.
 */
function createOutput(): Destination {
  return pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_EVERY_MS });
}

/** Serializes an error without `payload` (grammY) and `params` (Drizzle), which may contain users' messages. */
function serializeError(error: Error): SerializedError {
  const { payload: _payload, params: _params, ...facts } = stdSerializers.err(error);
  return { ...facts, message: withoutParams(facts.message), stack: withoutParams(facts.stack) } as SerializedError;
}

/**
 * Removes the parameters from a message of Drizzle: `Failed query: …`, then from a new line `params: …`, which may
 * contain line breaks.
 */
function withoutParams(text: string): string {
  return text.replace(/^params: [\s\S]*?(?=^[ \t]+at |$(?![\s\S]))/gm, 'params: […]\n');
}

/** Minimum length of a secret that is redacted in the log; shorter values occur in ordinary text. */
const SHORTEST_SECRET = 6;

/** Returns a function that redacts a finished line, with the pattern of the secrets that are known then. */
function createLineRedactor(secrets: ReadonlySet<string>): (line: string) => string {
  let knownCount = -1;
  let redact: (line: string) => string;
  return (line) => {
    if (secrets.size !== knownCount) {
      redact = createRedactor([...secrets].filter((secret) => secret.length >= SHORTEST_SECRET));
      knownCount = secrets.size;
    }
    return redact(line);
  };
}

/** The colon, and the space below, may be encoded in an address. */
const TELEGRAM_TOKEN = /\d{6,12}(?::|%3[Aa])[A-Za-z0-9_-]{30,}/.source;
const BEARER = String.raw`(${inAnyCase('bearer')}(?:\s|%20|\+)+)`;
const BEARER_VALUE = /[^\s"'\\,}]+/.source;
/** A text in JSON. Only behind the name of a header, where it takes linear time. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
/** These headers in JSON, under any field: searching each logged object would cost as much as the rest of the line. */
const AUTHORIZATION = String.raw`("(?:${['authorization', 'x-api-key'].map(inAnyCase).join('|')})":)(?:${QUOTED}|\[(?:${QUOTED}|[^"\][:{}])*\])`;

/**
 * Returns a pattern of a word in any case. Not `(?i:…)`: Node 24.21 was seen to miss `X-API-Key` by it, in a line with a
 * character beyond Latin-1.
 */
function inAnyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Replaces every given secret, bearer value, Telegram token and authorization header in `text` with `[secret]`. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  return createRedactor(secrets)(text);
}

/** Returns `redactSecrets` for these secrets as one search. */
function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const spellings = new Set([...secrets].filter((secret) => secret !== '').flatMap(listSpellings));
  // The longest first: others may be a part of it.
  const known = [...spellings].sort((one, other) => other.length - one.length).map(escapePattern);
  const bearer = `${BEARER}(?:${[...known, BEARER_VALUE].join('|')})`;
  const pattern = new RegExp([AUTHORIZATION, bearer, ...known, TELEGRAM_TOKEN].join('|'), 'g');
  return (text) =>
    text.replaceAll(pattern, (_match, header?: string, scheme = '') =>
      header === undefined ? `${scheme}[secret]` : `${header}"[secret]"`,
    );
}

/** Returns a secret as it is, as in JSON, with quotes and backslashes escaped, and as in an address. */
function listSpellings(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
