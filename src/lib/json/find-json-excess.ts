const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Limits of a JSON text. They determine how long parsing it blocks the thread. */
export interface JsonLimits {
  /** Maximum nesting. */
  readonly depth: number;
  /** Maximum number of objects, lists and values. */
  readonly values: number;
  /** Maximum number of names in one object. Default `MAX_NAMES`. */
  readonly names?: number | undefined;
}

/** Each copy of an object with more names blocks the thread for longer than 20 ms. */
export const MAX_NAMES = 10_000;

/**
 * Checks a JSON text before it is parsed: 20 MiB of `{},{},…` block the thread for 2 s, 20 MiB of images for 20 ms.
 * @returns the exceeded limit, if any.
 */
export function findJsonExcess(
  json: Buffer,
  { names: maxNames = MAX_NAMES, ...limits }: JsonLimits,
): keyof JsonLimits | undefined {
  let depth = 0;
  let values = 1;
  /** Number of names by depth. */
  const names = [0];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = findStringEnd(json, at + 1);
    else if (byte === COMMA) {
      if (++values > limits.values) return 'values';
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (++depth > limits.depth) return 'depth';
      if (++values > limits.values) return 'values';
      names[depth] = 0;
    } else if (byte === COLON) {
      names[depth] = (names[depth] ?? 0) + 1;
      if ((names[depth] ?? 0) > maxNames) return 'names';
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
  }
  return undefined;
}

/** Number of bytes that are read one by one before the rest of a string is searched by native code. */
const NEAR_BYTES = 256;

/** Returns the position of the quote that ends a string, or the length of the text. */
function findStringEnd(json: Buffer, start: number): number {
  let farAt = start + NEAR_BYTES;
  for (let at = start; at < json.length; at++) {
    if (json[at] === QUOTE) return at;
    if (json[at] === BACKSLASH) at++;
    else if (at >= farAt) {
      const quote = json.indexOf(QUOTE, at);
      if (quote < 0) return json.length;
      if (!isEscaped(json, quote, at)) return quote;
      at = quote;
      farAt = at + NEAR_BYTES;
    }
  }
  return json.length;
}

/** Returns whether an odd number of backslashes precedes a quote. `start` is outside of any escape. */
function isEscaped(json: Buffer, quote: number, start: number): boolean {
  let at = quote;
  while (at > start && json[at - 1] === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Checks JSON like `findJsonExcess` while it arrives, for libraries that parse it themselves. */
export class JsonMeter {
  readonly #limits: JsonLimits & { readonly names: number };
  readonly #isEventStream: boolean;
  #depth = 0;
  #values = 1;
  #names = [0];
  #isInString = false;
  #isEscaped = false;
  #isLineEmpty = true;

  /** @param isEventStream whether an empty line begins another text, as between server-sent events. */
  constructor({ depth, values, names = MAX_NAMES }: JsonLimits, isEventStream: boolean) {
    this.#limits = { depth, values, names };
    this.#isEventStream = isEventStream;
  }

  /** Reads the next bytes. @returns the exceeded limit, if any. */
  add(bytes: Uint8Array): keyof JsonLimits | undefined {
    for (const byte of bytes) {
      if (this.#isEventStream && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) this.#endLine(byte);
      else {
        this.#isLineEmpty = false;
        const excess = this.#isInString ? this.#readInString(byte) : this.#read(byte);
        if (excess) return excess;
      }
    }
    return undefined;
  }

  #endLine(byte: number): void {
    if (byte === CARRIAGE_RETURN) return;
    if (this.#isLineEmpty) [this.#depth, this.#values, this.#names, this.#isInString] = [0, 1, [0], false];
    this.#isLineEmpty = true;
  }

  #readInString(byte: number): undefined {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #read(byte: number): keyof JsonLimits | undefined {
    const { depth, values, names } = this.#limits;
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === COMMA) this.#values += 1;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      this.#values += 1;
      this.#depth += 1;
      this.#names[this.#depth] = 0;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#depth -= 1;
    else if (byte === COLON) this.#names[this.#depth] = (this.#names[this.#depth] ?? 0) + 1;
    if (this.#depth > depth) return 'depth';
    if ((this.#names[this.#depth] ?? 0) > names) return 'names';
    return this.#values > values ? 'values' : undefined;
  }
}
