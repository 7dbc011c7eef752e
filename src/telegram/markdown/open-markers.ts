/** An inline marker that isn't closed yet. */
export interface OpenMarker {
  /** `*`, `_`, `~`, `` ` `` or `[`; `(` for a link whose target is being written. */
  readonly sign: string;
  count: number;
  /** Where it begins in the source; for `(` where its bracket begins. */
  readonly offset: number;
  /** For `(`: where the `](` before the target begins. */
  readonly targetOffset?: number;
}

/** What is open at the end of a stretch of source, and where anything was open within it. */
export interface MarkerScan {
  /** Outermost first. */
  readonly open: readonly OpenMarker[];
  /** True for an offset with a marker open before it, seen from the source before that offset only. */
  readonly isOpenAt: (offset: number) => boolean;
}

const TOKEN = /\\[\s\S]|`+|\*+|_+|~{2,}|!?\[|\]|<(?:https?:|mailto:|\/?[a-z])[^<>\n]*>|https?:\/\/[^\s<>()[\]*`]*/gi;

/**
 * Follows emphasis, code spans and links through a paragraph as CommonMark does, from left to right and without looking
 * ahead: so the answer for an offset stays the same when the source grows behind it.
 */
export function scanMarkers(source: string, from: number, to: number): MarkerScan {
  const stack: OpenMarker[] = [];
  const changes: { offset: number; isOpen: boolean }[] = [];
  const matcher = new RegExp(TOKEN);
  matcher.lastIndex = from;
  for (let found = matcher.exec(source); found && found.index < to; found = matcher.exec(source)) {
    matcher.lastIndex = applyToken(stack, source, found[0], found.index, to);
    const isOpen = stack.length > 0;
    if (isOpen !== (changes.at(-1)?.isOpen ?? false)) {
      changes.push({ offset: isOpen ? (stack[0]?.offset ?? found.index) : matcher.lastIndex, isOpen });
    }
  }
  const isOpenAt = (offset: number) => changes.findLast((change) => change.offset < offset)?.isOpen ?? false;
  return { open: stack, isOpenAt };
}

/** Updates the stack for a token and gives the offset to go on at. */
function applyToken(stack: OpenMarker[], source: string, token: string, offset: number, to: number): number {
  const end = Math.min(offset + token.length, to);
  const sign = token[0] ?? '';
  const top = stack.at(-1);
  if (top?.sign === '`') {
    if (token.includes('`') && /(?<!`)`+$/.exec(token)?.[0].length === top.count) stack.pop();
    return end;
  }
  if (sign === '`') stack.push({ sign, count: end - offset, offset });
  else if (sign === '*' || sign === '_' || sign === '~') applyRun(stack, source, sign, offset, end, to);
  else if (token.endsWith('[')) stack.push({ sign: '[', count: token.length, offset });
  else if (sign === ']') return closeBracket(stack, source, end, to);
  return end;
}

function applyRun(stack: OpenMarker[], source: string, sign: string, offset: number, end: number, to: number): void {
  let count = end - offset;
  if (sign === '~' && count !== 2) return;
  const { canOpen, canClose } = getFlanks(source[offset - 1], end < to ? source[end] : undefined, sign);
  for (let index = stack.length - 1; canClose && count > 0 && index >= 0; index--) {
    const opener = stack[index];
    if (!opener || opener.sign === '[') break;
    if (opener.sign !== sign) continue;
    const used = Math.min(opener.count, count);
    count -= used;
    opener.count -= used;
    stack.length = opener.count === 0 ? index : index + 1;
  }
  if (count > 0 && canOpen) stack.push({ sign, count, offset });
}

/** CommonMark's left- and right-flanking rules. */
function getFlanks(before: string | undefined, after: string | undefined, sign: string) {
  const previous = classify(before);
  const next = classify(after);
  const isLeft = next !== 'space' && (next !== 'punctuation' || previous !== 'letter');
  const isRight = previous !== 'space' && (previous !== 'punctuation' || next !== 'letter');
  if (sign !== '_') return { canOpen: isLeft, canClose: isRight };
  return {
    canOpen: isLeft && (!isRight || previous === 'punctuation'),
    canClose: isRight && (!isLeft || next === 'punctuation'),
  };
}

function classify(character: string | undefined): 'space' | 'punctuation' | 'letter' {
  if (character === undefined || /\s/.test(character)) return 'space';
  return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'letter';
}

/** Closes the nearest `[` with the link target behind it, if there is one. Emphasis opened within is over. */
function closeBracket(stack: OpenMarker[], source: string, end: number, to: number): number {
  const index = stack.findLastIndex((marker) => marker.sign === '[');
  const bracket = stack[index];
  if (!bracket) return end;
  stack.length = index;
  if (source[end] !== '(' || end >= to) return end;
  const targetEnd = findTargetEnd(source, end, to);
  if (targetEnd !== undefined) return targetEnd;
  stack.push({ ...bracket, sign: '(', targetOffset: end - 1 });
  return to;
}

const TARGET_MAX_UNITS = 2000;

/** Behind the `)` of a link target; undefined while it isn't written. A target that can't become one ends at once. */
function findTargetEnd(source: string, start: number, to: number): number | undefined {
  let depth = 0;
  for (let position = start; position < Math.min(to, start + TARGET_MAX_UNITS); position++) {
    const sign = source[position];
    if (sign === '\\') position++;
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return position + 1;
    else if (sign === '\n' && /^\s*\n/.test(source.slice(position + 1, position + 20))) return start;
  }
  return to - start < TARGET_MAX_UNITS ? undefined : start;
}
