const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Checks the depth and the number of values of a JSON text before it is parsed. They determine how long parsing blocks
 * the thread: 2 s for 20 MiB of `{},{},…`, 20 ms for 20 MiB of images.
 * @returns the exceeded limit, if any.
 */
export function findJsonExcess(
  json: Buffer,
  limits: { readonly depth: number; readonly values: number },
): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = findStringEnd(json, at + 1);
    else if (byte === COMMA) {
      if (++values > limits.values) return 'values';
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (++depth > limits.depth) return 'depth';
      if (++values > limits.values) return 'values';
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
