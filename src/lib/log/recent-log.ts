import { isJsonObject, type JsonObject } from '../json/json.ts';

/** A warning or an error of this process. */
export interface LogEntry {
  /** Increases with each entry. */
  readonly id: number;
  readonly time: string;
  readonly level: 'warn' | 'error' | 'fatal';
  readonly message: string;
  /** Type and message of the error; undefined if there was none. */
  readonly error: string | undefined;
  /** Other fields with simple values, as JSON. */
  readonly facts: string;
}

/** The latest warnings and errors, in memory. */
export type RecentLog = ReturnType<typeof createRecentLog>;

const MAX_ENTRIES = 200;
/** Longer texts are cut, in characters. */
const MAX_TEXT_LENGTH = 1000;
/** Level 40 and above, which pino writes first. */
const NOTEWORTHY = /^\{"level":[456]0,/;
const LEVELS: Readonly<Record<string, LogEntry['level']>> = { 40: 'warn', 50: 'error', 60: 'fatal' };

export function createRecentLog() {
  const entries: LogEntry[] = [];
  let count = 0;
  return {
    /** Adds a finished line of the log, if it is a warning or an error. */
    add(line: string): void {
      if (!NOTEWORTHY.test(line)) return;
      const fields: unknown = JSON.parse(line);
      if (!isJsonObject(fields)) return;
      count += 1;
      entries.unshift(toEntry(count, fields));
      entries.length = Math.min(entries.length, MAX_ENTRIES);
    },
    /** Newest first. */
    list: (): readonly LogEntry[] => [...entries],
  };
}

function toEntry(id: number, { level, time, msg, err, ...others }: JsonObject): LogEntry {
  const simple = Object.entries(others).filter(([, value]) => typeof value !== 'object');
  return {
    id,
    time: String(time),
    level: LEVELS[String(level)] ?? 'error',
    message: cut(String(msg ?? '')),
    error: isJsonObject(err) ? cut(`${err['type']}: ${err['message']}`) : undefined,
    facts: simple.length === 0 ? '' : cut(JSON.stringify(Object.fromEntries(simple))),
  };
}

function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
}
