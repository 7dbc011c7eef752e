/**
 * Maximum weight of one parse. A window of ordinary prose, lists, tables and code weighs less; the heaviest possible
 * one is parsed and rendered in some tens of milliseconds, which `bounded-work.test.ts` measures.
 */
const MAX_WEIGHT = 32_768;

const PLAIN_WEIGHT = 1;
/** The parser tries each line against every kind of block and every open container. */
const LINE_WEIGHT = 40;
const CONTAINER_WEIGHT = 8;
/** Weights by UTF-16 unit. The parser matches the heaviest ones with one another, in time quadratic in their number. */
const WEIGHTS = new Uint8Array(128).fill(PLAIN_WEIGHT);
for (const [signs, weight] of [
  ['(){}!$\\:#-+=^;"', 8],
  ['|`@&>', 16],
  ['[]', 24],
  ['*_~', 40],
  ['<', 64],
] as const) {
  for (const sign of signs) WEIGHTS[sign.charCodeAt(0)] = weight;
}

const MAX_CONTAINER_UNITS = 32;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

/** Prefix of a source that can be parsed in bounded time. */
export interface ParseWindow {
  /** Length in UTF-16 units; never within a surrogate pair or CRLF. */
  readonly end: number;
  /** True if the prefix is so dense with syntax that a longer one should not be parsed. */
  readonly isDense: boolean;
}

/**
 * Finds the longest prefix of the source, of at most `maxUnits`, that can be parsed in bounded time. Runs in time
 * linear in `maxUnits`.
 */
export function findParseWindow(source: string, maxUnits: number): ParseWindow {
  const length = Math.min(source.length, maxUnits);
  const weighLookBack = createLookBackWeight();
  let containers = countContainerUnits(source, 0);
  let weight = 0;
  let end = 0;
  while (end < length) {
    const code = source.charCodeAt(end);
    if (code === NEWLINE || code === RETURN) {
      containers = Math.max(containers, countContainerUnits(source, end + 1));
      weight += LINE_WEIGHT + CONTAINER_WEIGHT * containers;
    } else weight += WEIGHTS[code] ?? PLAIN_WEIGHT;
    weight += weighLookBack(code);
    if (weight > MAX_WEIGHT) break;
    end += 1;
  }
  const isBetween = end < source.length && /[\r\uD800-\uDBFF]/.test(source[end - 1] ?? '');
  return { end: isBetween ? end - 1 : end, isDense: weight > MAX_WEIGHT / 2 };
}

const BACKSLASH = 0x5c;
const OPENING = 0x5b;
const CLOSING = 0x5d;
/** An ordinary character yields no token, a syntax character several. */
const TOKENS_PER_WEIGHT = 1 / 4;
const TOKENS_PER_WORD = 2;
/** Tokens scanned in the time of one plain unit. */
const PASSED_PER_WEIGHT = 48;

/**
 * Returns a function that weighs the parser's look-back within a paragraph, called once for each unit. From a word the
 * parser looks at all tokens since an open bracket, because links can't contain URLs; from an unmatched closing bracket
 * at all tokens of the paragraph.
 */
function createLookBackWeight(): (code: number) => number {
  let tokens = 0;
  let openings: number[] = [];
  let previous = NEWLINE;
  let isBlankLine = true;
  return (code) => {
    const isEscaped = previous === BACKSLASH;
    const isWordStart = isAddressSign(code) && !isWord(previous);
    let passed = 0;
    if (code === CLOSING && !isEscaped && openings.pop() === undefined) passed = tokens;
    if (isWordStart) passed = tokens - (openings.at(-1) ?? tokens);
    if (code === OPENING && !isEscaped) openings.push(tokens);
    const weight = WEIGHTS[code] ?? PLAIN_WEIGHT;
    if (isWordStart) tokens += TOKENS_PER_WORD;
    if (weight > PLAIN_WEIGHT) tokens += weight * TOKENS_PER_WEIGHT;
    if (code === NEWLINE) {
      if (isBlankLine) [tokens, openings] = [0, []];
      isBlankLine = true;
    } else if (code > SPACE) isBlankLine = false;
    previous = isEscaped ? SPACE : code;
    return passed / PASSED_PER_WEIGHT;
  };
}

function isWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}

/** Returns true for letters, digits and `+-._`, with which URLs and email addresses may begin. */
function isAddressSign(code: number): boolean {
  return isWord(code) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f;
}

const CONTAINERS = /(?:[ \t]{0,8}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]{0,32}/y;

/** Returns the number of units at the start of a line that may open or continue containers. */
function countContainerUnits(source: string, lineStart: number): number {
  CONTAINERS.lastIndex = lineStart;
  return Math.min(MAX_CONTAINER_UNITS, CONTAINERS.exec(source)?.[0].length ?? 0);
}
