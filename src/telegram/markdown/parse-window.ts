/**
 * Weight that one parse may have. A window of ordinary prose, lists, tables and code has less; the heaviest possible one is parsed and
 * rendered in some tens of milliseconds, which `bounded-work.test.ts` measures.
 */
const MAX_WEIGHT = 32_768;

const PLAIN_WEIGHT = 1;
/** Each line is tried against every kind of block and every open container. */
const LINE_WEIGHT = 40;
const CONTAINER_WEIGHT = 6;
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
  let containers = countContainerUnits(source, 0);
  let weight = 0;
  let end = 0;
  while (end < length) {
    const code = source.charCodeAt(end);
    if (code === NEWLINE || code === RETURN) {
      containers = Math.max(containers, countContainerUnits(source, end + 1));
      weight += LINE_WEIGHT + CONTAINER_WEIGHT * containers;
    } else weight += WEIGHTS[code] ?? PLAIN_WEIGHT;
    if (weight > MAX_WEIGHT) break;
    end += 1;
  }
  const isBetween = end < source.length && /[\r\uD800-\uDBFF]/.test(source[end - 1] ?? '');
  return { end: isBetween ? end - 1 : end, isDense: weight > MAX_WEIGHT / 2 };
}

const CONTAINERS = /(?:[ \t]{0,8}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]{0,32}/y;

/** Returns how many units at the start of a line may open or continue containers. */
function countContainerUnits(source: string, lineStart: number): number {
  CONTAINERS.lastIndex = lineStart;
  return Math.min(MAX_CONTAINER_UNITS, CONTAINERS.exec(source)?.[0].length ?? 0);
}
