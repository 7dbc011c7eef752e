import {
  classifyCharacter,
  classifyPrecedingCharacter,
  isCjk,
  isCjkOrIvs,
  isNonCjkPunctuation,
  isSpaceOrPunctuation,
  isUnicodeWhitespace,
} from 'micromark-extension-cjk-friendly-util';
import { getSpoilerFlanks } from './chat-syntax.ts';

/** An unclosed inline marker. */
export interface OpenMarker {
  /** `*`, `_`, `~`, `|`, `` ` `` or `[`; `(` for a link with an incomplete target. */
  readonly sign: string;
  count: number;
  /** Offset in the source; for `(` that of its bracket. */
  readonly offset: number;
  /** For `(`: offset of the `](` before the target. */
  readonly targetOffset?: number;
}

const TOKEN =
  /\\[\s\S]|`+|\*+|_+|~{2,}|\|{2,}|!?\[|\]|<(?:https?:|mailto:|\/?[a-z])[^<>\n]*>|https?:\/\/[^\s<>()[\]*`]*/gi;

/**
 * Tracks emphasis, code spans and links through a paragraph by CommonMark's rules, from left to right without
 * lookahead: the result for an offset does not change when the source grows.
 */
export function scanMarkers(source: string, from: number, to: number) {
  /** Outermost first. */
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
  /** Returns true if a marker is open at the offset, judged only by the source before it. */
  const isOpenAt = (offset: number): boolean => changes.findLast((change) => change.offset < offset)?.isOpen ?? false;
  return { open: stack, isOpenAt };
}

/** Updates the stack for a token and returns the offset to continue at. */
function applyToken(stack: OpenMarker[], source: string, token: string, offset: number, to: number): number {
  const end = Math.min(offset + token.length, to);
  const sign = token[0] ?? '';
  const top = stack.at(-1);
  if (top?.sign === '`') {
    if (token.includes('`') && /(?<!`)`+$/.exec(token)?.[0].length === top.count) stack.pop();
    return end;
  }
  if (sign === '`') stack.push({ sign, count: end - offset, offset });
  else if (sign === '*' || sign === '_' || sign === '~' || sign === '|') applyRun(stack, source, sign, offset, end, to);
  else if (token.endsWith('[')) stack.push({ sign: '[', count: token.length, offset });
  else if (sign === ']') return closeBracket(stack, source, end, to);
  return end;
}

function applyRun(stack: OpenMarker[], source: string, sign: string, offset: number, end: number, to: number): void {
  let count = end - offset;
  if ((sign === '~' || sign === '|') && count !== 2) return;
  const { canOpen, canClose } = getFlanks(source, offset, end, to);
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

/** Applies the rules of the parser for left- and right-flanking delimiter runs: CommonMark's, extended for CJK text. */
function getFlanks(source: string, offset: number, end: number, to: number) {
  if (source[offset] === '|') return getSpoilerFlanks(source[offset - 1], end < to ? source[end] : undefined);
  const before = classifyBefore(source, offset);
  const after = classifyCharacter(end < to ? toCode(source.codePointAt(end)) : null);
  const [isAfterMark, isBeforeMark] = [isNonCjkPunctuation(before), isNonCjkPunctuation(after)];
  const isAfterBreak = isAfterMark || isUnicodeWhitespace(before);
  const isBeforeBreak = isBeforeMark || isUnicodeWhitespace(after);
  const isLeft = !isBeforeBreak || (isBeforeMark && (isAfterBreak || isCjkOrIvs(before)));
  const isRight = !isAfterBreak || (isAfterMark && (isBeforeBreak || isCjk(after)));
  if (source[offset] !== '_') return { canOpen: isLeft, canClose: isRight };
  return {
    canOpen: isLeft && (!isRight || isSpaceOrPunctuation(before)),
    canClose: isRight && (!isLeft || isSpaceOrPunctuation(after)),
  };
}

/** Classifies the character before an offset. A variation selector counts as the character that it changes. */
function classifyBefore(source: string, offset: number) {
  const previous = getCodeBefore(source, offset);
  const getSecond = () => getCodeBefore(source, offset - ((previous ?? 0) > 0xffff ? 2 : 1));
  return classifyPrecedingCharacter(classifyCharacter(previous), getSecond, previous);
}

function getCodeBefore(source: string, offset: number): number | null {
  const isPair = /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(source.slice(Math.max(0, offset - 2), offset));
  return offset <= 0 ? null : toCode(source.codePointAt(offset - (isPair ? 2 : 1)));
}

function toCode(code: number | undefined): number | null {
  return code ?? null;
}

/** Closes the nearest `[`, including a link target that follows. Discards emphasis opened within. */
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

/**
 * Returns the offset after the `)` of a link target, undefined if the target is incomplete, `start` if it is not a
 * target.
 */
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
