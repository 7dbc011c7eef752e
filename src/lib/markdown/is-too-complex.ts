import type { Fence } from './find-fences.ts';
import { isTooNested } from './is-too-nested.ts';

const MAX_UNITS = 64 * 1024;

/** Delimiters of emphasis, links and HTML. Parse time is quadratic in their number per paragraph. */
const DELIMITER = /\*+|_+|~+|[[\]<]/g;
const MAX_DELIMITERS = 2000;
/** Lines that begin a quote, a list item or a heading. Parse time is quadratic in their number per message. */
const BLOCK_START = /^[ \t]*(?:[-+*>=#]|\d{1,9}[.)])/gm;
const MAX_BLOCK_STARTS = 2000;

/** Returns true if parsing the Markdown could take seconds. Code blocks count by their length only. */
export function isTooComplex(text: string, fences: readonly Fence[]): boolean {
  if (text.length > MAX_UNITS || isTooNested(text)) return true;
  const starts = [0, ...fences.map(({ end }) => end)];
  const prose = starts.map((start, index) => text.slice(start, fences[index]?.start)).join('\n\n');
  if (countMatches(prose, BLOCK_START) > MAX_BLOCK_STARTS) return true;
  return prose.split(/\n[ \t>]*\n/).some((block) => countMatches(block, DELIMITER) > MAX_DELIMITERS);
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
