import { isAscii } from 'node:buffer';
import { findJsonExcess, type JsonLimits, MAX_NAMES } from './find-json-excess.ts';
import { type JsonObject, parseJson } from './json.ts';
import { awaitOwnTurn, LARGE_JSON } from './large-json.ts';

/** Why a JSON text was not parsed: the limit that it exceeds, or `invalid`. */
export type JsonProblem = keyof JsonLimits | 'invalid';

/** Limits of JSON from outside. Answers of hosts with the probabilities of each token have up to 200 values a token. */
export const JSON_LIMITS: JsonLimits = { depth: 128, values: 500_000 };
/** Limits of JSON that is parsed in one step: it holds the thread for up to 20 ms. */
const SMALL_JSON_LIMITS: JsonLimits = { depth: 128, values: 20_000, names: 5000 };

/** Size up to which a text exceeds no limit that matters, in characters. */
const TINY_CHARACTERS = 1024;
/** Size up to which a text is parsed in one step, in bytes: it has at most as many values as a step. */
export const SMALL_BYTES = 16 * 1024;
/** Values of a step, each name counted as several: a name that occurs once takes 3 µs. */
const STEP_WORK = 10_000;
const WORK_OF_NAME = 10;
const STEP_BYTES = 256 * 1024;
/** Maximum size of all white space and numbers that are longer than a step: they are parsed at once. */
const MAX_GAP_BYTES = 12 * 1024 * 1024;
/** Number of bytes of a string that are read one by one before native code searches its end. */
const NEAR_BYTES = 64;

/**
 * Parses JSON from outside: a text of any size holds the thread for a few milliseconds at a time. Returns undefined if
 * it is invalid or exceeds the limits.
 */
export async function readJson(json: Buffer, limits: JsonLimits = JSON_LIMITS): Promise<unknown> {
  const read = await readJsonOrProblem(json, limits);
  return 'value' in read ? read.value : undefined;
}

/** The same as `readJson`, with the problem of a text that is not parsed. */
export async function readJsonOrProblem(
  json: Buffer,
  limits: JsonLimits = JSON_LIMITS,
): Promise<{ readonly value: unknown } | { readonly problem: JsonProblem }> {
  try {
    if (json.length <= SMALL_BYTES) return { value: parseSmall(json, limits) };
    const reader = new JsonReader(json, limits);
    const steps = reader.read();
    while (!steps.next().done) await awaitOwnTurn();
    return { value: reader.value };
  } catch (error) {
    if (error instanceof JsonProblemError) return { problem: error.problem };
    throw error;
  }
}

/**
 * Parses JSON from outside at once, such as the arguments of a tool call. Returns undefined if it is invalid, longer than
 * `LARGE_JSON` or exceeds `SMALL_JSON_LIMITS`.
 */
export function readSmallJson(text: string): unknown {
  if (text.length <= TINY_CHARACTERS) return parseJson(text);
  if (text.length > LARGE_JSON) return undefined;
  return findJsonExcess(Buffer.from(text), SMALL_JSON_LIMITS) ? undefined : parseJson(text);
}

class JsonProblemError extends Error {
  override readonly name = 'JsonProblemError';
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(`The JSON is not read: ${problem}`);
    this.problem = problem;
  }
}

function parseSmall(json: Buffer, limits: JsonLimits): unknown {
  const problem = findJsonExcess(json, limits);
  if (problem) throw new JsonProblemError(problem);
  return parseText(json.toString('utf8').replace(/^\uFEFF/, ''));
}

/** @throws JsonProblemError */
function parseText(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new JsonProblemError('invalid');
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SMALL_U = 0x75;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** An object or list that is not closed yet. */
interface Container {
  readonly isList: boolean;
  /** Position behind its opening bracket. */
  readonly start: number;
  /** The members that have been parsed; undefined as long as it is small enough to be parsed as a whole. */
  members: JsonObject | unknown[] | undefined;
  /** Position up to which the text is in `members`. */
  parsedTo: number;
  /** Work of the text up to `parsedTo`. */
  workThen: number;
  /** Whether the text up to `parsedTo` ends with a member that was parsed by itself: a comma or the end must follow. */
  isBehindMember: boolean;
  /** Position of the member that is being read. */
  memberStart: number;
  /** Whether the name of that member has been read. */
  hasName: boolean;
  nameCount: number;
}

/**
 * Parses a JSON text in steps. Objects, lists and strings that are too large for one step are put together from parts,
 * which `JSON.parse` has read.
 */
class JsonReader {
  value: unknown;
  readonly #json: Buffer;
  readonly #limits: JsonLimits & { readonly names: number };
  /** The root, which holds the text as a list of one member, and the containers around the current position. */
  readonly #open: Container[] = [];
  #values = 1;
  #work = 0;

  constructor(json: Buffer, limits: JsonLimits) {
    this.#json = json;
    this.#limits = { ...limits, names: limits.names ?? MAX_NAMES };
  }

  /** Yields between the steps. @throws JsonProblemError */
  *read(): Generator<void, void, undefined> {
    const json = this.#json;
    const root = this.#begin(true, hasByteOrderMark(json) ? BYTE_ORDER_MARK.length : 0);
    let tokenAt = root.start;
    let gapBytes = 0;
    let isBehindString = false;
    for (let at = root.start; at < json.length; at += 1) {
      const byte = json[at];
      if (byte === QUOTE) {
        // Strings in a row would never end a step.
        if (isBehindString) throw new JsonProblemError('invalid');
        at = findNearQuote(json, at + 1) ?? (yield* this.#readString(at));
      } else if (byte === COLON) this.#readColon();
      else if (byte === COMMA) yield* this.#readComma(at);
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        this.#count();
        this.#begin(byte === OPEN_BRACKET, at + 1);
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) yield* this.#close(at, byte === CLOSE_BRACKET);
      else if (at - tokenAt > STEP_BYTES) {
        gapBytes += at - tokenAt;
        // Other bytes than ASCII take several times as long to decode.
        if (gapBytes > MAX_GAP_BYTES || !isAscii(json.subarray(tokenAt, at))) throw new JsonProblemError('invalid');
        yield;
        tokenAt = at;
        continue;
      } else continue;
      tokenAt = at;
      isBehindString = byte === QUOTE;
    }
    if (this.#open.length !== 1) throw new JsonProblemError('invalid');
    this.#parseTo(root, json.length);
    const values = root.members as unknown[];
    if (values.length !== 1) throw new JsonProblemError('invalid');
    this.value = values[0];
  }

  #begin(isList: boolean, start: number): Container {
    if (this.#open.length > this.#limits.depth) throw new JsonProblemError('depth');
    const container: Container = {
      isList,
      start,
      members: undefined,
      parsedTo: start,
      workThen: this.#work,
      isBehindMember: false,
      memberStart: start,
      hasName: false,
      nameCount: 0,
    };
    this.#open.push(container);
    return container;
  }

  #count(): void {
    this.#values += 1;
    this.#work += 1;
    if (this.#values > this.#limits.values) throw new JsonProblemError('values');
  }

  #current(): Container {
    const container = this.#open.at(-1);
    if (!container) throw new JsonProblemError('invalid');
    return container;
  }

  #readColon(): void {
    const container = this.#current();
    container.hasName = true;
    container.nameCount += 1;
    this.#work += WORK_OF_NAME;
    if (container.nameCount > this.#limits.names) throw new JsonProblemError('names');
  }

  *#readComma(at: number): Generator<void, void, undefined> {
    this.#count();
    const container = this.#current();
    if (container.isBehindMember || this.#isLarge(container, at)) {
      this.#parseTo(container, at);
      container.parsedTo = at + 1;
      yield;
    }
    container.memberStart = at + 1;
    container.hasName = false;
  }

  /** Returns whether the text of a container that is not parsed yet is as large as a step. */
  #isLarge({ workThen, parsedTo }: Container, at: number): boolean {
    return this.#work - workThen > STEP_WORK || at - parsedTo > STEP_BYTES;
  }

  *#close(at: number, isList: boolean): Generator<void, void, undefined> {
    const container = this.#current();
    if (this.#open.length === 1 || container.isList !== isList) throw new JsonProblemError('invalid');
    this.#open.pop();
    // A small one is parsed with the container that it is in.
    if (!container.members && !this.#isLarge(container, at)) return;
    this.#parseTo(container, at);
    yield;
    this.#addMember(container.members, container.start - 1, at + 1);
  }

  /** Adds a member that was parsed by itself to the current container. */
  #addMember(value: unknown, start: number, end: number): void {
    const container = this.#current();
    const { memberStart } = container;
    if (container.isBehindMember) throw new JsonProblemError('invalid');
    if (container.parsedTo < memberStart) this.#parseTo(container, memberStart - 1);
    const before = this.#json.toString('utf8', memberStart, start);
    if (container.isList) {
      if (!isWhiteSpace(before)) throw new JsonProblemError('invalid');
      this.#join(container, [value]);
    } else {
      const [name = ''] = Object.keys(parseText(`{${before}""}`) as JsonObject);
      const member = {};
      setMember(member, name, value);
      this.#join(container, member);
    }
    container.parsedTo = end;
    container.workThen = this.#work;
    container.isBehindMember = true;
  }

  /** Parses the members of a container up to the comma or bracket at a position. */
  #parseTo(container: Container, end: number): void {
    const { isList, start, parsedTo, isBehindMember } = container;
    const text = this.#json.toString('utf8', parsedTo, end);
    if (isBehindMember !== isWhiteSpace(text) && !(parsedTo === start && this.#json[end] !== COMMA))
      throw new JsonProblemError('invalid');
    if (!isBehindMember) this.#join(container, parseText(isList ? `[${text}]` : `{${text}}`));
    container.isBehindMember = false;
    container.parsedTo = end;
    container.workThen = this.#work;
  }

  #join(container: Container, members: unknown): void {
    const { members: before } = container;
    if (!before) container.members = members as JsonObject | unknown[];
    else if (Array.isArray(before)) for (const value of members as unknown[]) before.push(value);
    else for (const [name, value] of Object.entries(members as JsonObject)) setMember(before, name, value);
  }

  /** Reads a string. @returns the position of its last quote. */
  *#readString(start: number): Generator<void, number, undefined> {
    const json = this.#json;
    const cuts = [start + 1];
    for (let from = start + 1; ; ) {
      const end = findStringEnd(json, from, Math.min(json.length, from + STEP_BYTES));
      if (end >= json.length) throw new JsonProblemError('invalid');
      if (json[end] === QUOTE) {
        if (cuts.length > 1) this.#addMember(yield* this.#joinString([...cuts, end]), start, end + 1);
        return end;
      }
      const { isList, hasName } = this.#current();
      if (!isList && !hasName) throw new JsonProblemError('names');
      from = toCut(json, from, end);
      cuts.push(from);
      yield;
    }
  }

  *#joinString(cuts: readonly number[]): Generator<void, string, undefined> {
    let whole = '';
    for (const [at, cut] of cuts.slice(1).entries()) {
      whole += parseText(`"${this.#json.toString('utf8', cuts[at], cut)}"`);
      yield;
    }
    return whole;
  }
}

function hasByteOrderMark(json: Buffer): boolean {
  return json.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** Returns the position of the quote that ends a short string without escapes. */
function findNearQuote(json: Buffer, start: number): number | undefined {
  for (let at = start; at < start + NEAR_BYTES; at += 1) {
    if (json[at] === QUOTE) return at;
    if (json[at] === BACKSLASH) return undefined;
  }
  return undefined;
}

function isWhiteSpace(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
}

/**
 * Returns the position of the quote that ends a string, or a position from `stop` on. Like `start`, it is not behind a
 * backslash that begins an escape.
 */
function findStringEnd(json: Buffer, start: number, stop: number): number {
  const quote = json.subarray(start, stop).indexOf(QUOTE);
  if (quote > 0 && json[start + quote - 1] !== BACKSLASH) return start + quote;
  if (quote < 0) return stop + (countBackslashes(json, start, stop) % 2);
  let at = start;
  while (at < stop && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns the number of backslashes directly before a position. */
function countBackslashes(json: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && json[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}

/**
 * Returns the first position from `at` on that is neither inside of an escape `\uXXXX` nor of a character.
 * @param start an earlier such position.
 */
function toCut(json: Buffer, start: number, at: number): number {
  for (let before = at - 1; before > at - 5; before -= 1)
    if (json[before] === SMALL_U && countBackslashes(json, start, before) % 2 === 1) return before + 5;
  let cut = at;
  while (cut < at + 3 && ((json[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
  return cut;
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
function setMember(members: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  else members[name] = value;
}
