import type { ByteRange } from '../../../core/storage/index.ts';

/** Requested bytes of a `Range` header. */
export type WantedBytes =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'unsatisfiable' };

const WHOLE: WantedBytes = { kind: 'whole' };
const UNSATISFIABLE: WantedBytes = { kind: 'unsatisfiable' };

const SPECIFIER = / *(?:(?<start>\d+) *-(?: *(?<end>\d+))?|-(?<suffix>\d+)) *(?<separator>,|$)/y;

/**
 * Evaluates a `Range` header like nginx with `max_ranges 1`: several ranges yield the whole file, malformed ones are
 * unsatisfiable, other units are ignored.
 */
export function findWantedBytes(header: string | undefined, sizeBytes: number): WantedBytes {
  if (header === undefined || !/^bytes=./i.test(header)) return WHOLE;
  let found: ByteRange | undefined;
  const specifiers = header.slice('bytes='.length);
  for (let at = 0; ; ) {
    SPECIFIER.lastIndex = at;
    const groups = SPECIFIER.exec(specifiers)?.groups;
    if (!groups || [groups['start'], groups['end'], groups['suffix']].some(isTooLarge)) return UNSATISFIABLE;
    at = SPECIFIER.lastIndex;
    const range = toRange(groups, sizeBytes);
    if (range.start <= range.end) {
      if (found) return WHOLE;
      found = range;
    } else if (range.start === 0) {
      return WHOLE;
    }
    if (groups['separator'] !== ',') break;
  }
  return found ? { kind: 'part', range: found } : UNSATISFIABLE;
}

function toRange(groups: Readonly<Record<string, string | undefined>>, sizeBytes: number): ByteRange {
  const last = sizeBytes - 1;
  if (groups['suffix'] !== undefined) return { start: Math.max(0, sizeBytes - Number(groups['suffix'])), end: last };
  const end = groups['end'] ? Math.min(Number(groups['end']), last) : last;
  return { start: Number(groups['start']), end };
}

const MAX_OFFSET = 2n ** 63n - 1n;

/** Returns true for offsets above nginx's 63 bits, which count as malformed. */
function isTooLarge(digits: string | undefined): boolean {
  if (!digits) return false;
  const significant = digits.replace(/^0+/, '');
  return significant.length > 19 || (significant.length === 19 && BigInt(significant) > MAX_OFFSET);
}
