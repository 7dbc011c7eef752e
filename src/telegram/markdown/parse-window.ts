/**
 * Weight that one parse may have. A window of ordinary prose, lists, tables and code has less; the heaviest possible one is parsed and
 * rendered in some tens of milliseconds, which `bounded-work.test.ts` measures.
 */
const MAX_WEIGHT = 32_768;

const PLAIN_WEIGHT = 1;
/** Each line is tried against every kind of block and every open container. */
const LINE_WEIGHT = 40;
const CONTAINER_WEIGHT = 8;
/** By UTF-16 unit. The parser matches the heaviest ones with one another, in time that grows with the square of their count. */
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

/** A beginning of a source that can be parsed in bounded time. */
export interface ParseWindow {
  /** Its length in UTF-16 units: never within a surrogate pair or within CRLF. */
  readonly end: number;
  /** True where it is short, or nothing longer should be parsed besides, because it is dense with syntax. */
  readonly isDense: boolean;
}

/** Finds the longest beginning of the source, of at most `maxUnits`, that can be parsed in bounded time. Takes time linear in `maxUnits`. */
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
/** An ordinary character stands for no token, each sign for several. */
const TOKENS_PER_WEIGHT = 1 / 4;
const TOKENS_PER_WORD = 2;
/** Tokens that are passed in the time of a plain unit. */
const PASSED_PER_WEIGHT = 48;

/**
 * Weighs what the parser looks back at within a paragraph, unit for unit: from a word at all tokens since an open bracket, because there
 * are no addresses in links, and from a bracket that closes nothing at all tokens of the paragraph.
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

/** Letters, digits and `+-._`: addresses may begin with them. */
function isAddressSign(code: number): boolean {
  return isWord(code) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f;
}

const CONTAINERS = /(?:[ \t]{0,8}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]{0,32}/y;

/** Returns how many units at the start of a line may open or continue containers. */
function countContainerUnits(source: string, lineStart: number): number {
  CONTAINERS.lastIndex = lineStart;
  return Math.min(MAX_CONTAINER_UNITS, CONTAINERS.exec(source)?.[0].length ?? 0);
}
