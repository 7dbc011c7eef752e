import type { Fence } from './find-fences.ts';

/** A formula in the source. */
export interface Formula {
  /** Offset of the opening delimiter. */
  readonly start: number;
  /** Offset after the closing delimiter. */
  readonly end: number;
  /** The LaTeX between the delimiters. */
  readonly latex: string;
  /** True for `$$…$$` and `\[…\]`. */
  readonly isDisplay: boolean;
}

/** Result of `findFormulas`. */
export interface FormulaScan {
  readonly formulas: readonly Formula[];
  /** Offset of an unclosed formula, if the source ends within a possible one. */
  readonly openAt: number | undefined;
}

const INLINE_MAX_UNITS = 400;
const DISPLAY_MAX_UNITS = 3000;
/** Length above which the text after an opening delimiter within a line is shown although it may still be closed. */
const HELD_MAX_UNITS = 150;
/** Escaped characters, and runs of backticks and dollar signs. */
const TOKEN = /\\[\s\S]|`+|\$+/g;

/**
 * Finds the formulas of a source outside of code: `$$…$$`, `\[…\]`, `\(…\)`, and `$…$` if it is clearly mathematics.
 * Runs in one pass. A formula contains no blank line and at most 3000 units (400 if inline).
 */
export function findFormulas(source: string, fences: readonly Fence[]): FormulaScan {
  const formulas: Formula[] = [];
  if (!/[$]|\\[([]/.test(source)) return { formulas, openAt: undefined };
  let openAt: number | undefined;
  let start = 0;
  for (const fence of [...fences, { start: source.length, end: source.length }]) {
    openAt = scanOutsideFences(source, start, fence.start, formulas);
    start = fence.end;
  }
  return { formulas, openAt: fences.at(-1)?.end === source.length ? undefined : openAt };
}

/** Adds the formulas between two fences. @returns the offset of the first one that may still be closed. */
function scanOutsideFences(source: string, from: number, to: number, formulas: Formula[]): number | undefined {
  const matcher = new RegExp(TOKEN);
  matcher.lastIndex = from;
  let openAt: number | undefined;
  for (let found = matcher.exec(source); found && found.index < to; found = matcher.exec(source)) {
    const token = found[0];
    if (token.startsWith('`')) {
      matcher.lastIndex = findCodeEnd(source, found.index, token.length, to) ?? matcher.lastIndex;
      continue;
    }
    const closing = toClosing(token);
    if (closing === undefined) continue;
    const result = readFormula(source, found.index, token, closing, to);
    if (typeof result === 'object') {
      formulas.push(result);
      matcher.lastIndex = result.end;
    } else if (result === 'open') openAt ??= found.index;
  }
  return openAt;
}

/** Returns the delimiter that closes a formula; undefined if `opening` opens none. */
function toClosing(opening: string): string | undefined {
  if (opening === '\\(') return '\\)';
  if (opening === '\\[') return '\\]';
  return opening === '$' || opening === '$$' ? opening : undefined;
}

/** Returns the end of the code span that begins at `start`, if it is closed before a blank line. */
function findCodeEnd(source: string, start: number, runLength: number, to: number): number | undefined {
  const blank = source.indexOf('\n\n', start);
  const limit = Math.min(to, blank < 0 ? to : blank);
  const runs = /`+/g;
  runs.lastIndex = start + runLength;
  for (let run = runs.exec(source); run && run.index < limit; run = runs.exec(source)) {
    if (run[0].length === runLength) return runs.lastIndex;
  }
  return undefined;
}

/** Returns the formula that begins at `start`; `open` if the end of the source may cut it off. */
function readFormula(source: string, start: number, opening: string, closing: string, to: number) {
  const isDisplay = opening === '$$' || opening === '\\[';
  const contentStart = start + opening.length;
  const limit = Math.min(to, contentStart + (isDisplay ? DISPLAY_MAX_UNITS : INLINE_MAX_UNITS));
  const text = source.slice(contentStart, limit);
  const blank = /\n[ \t>]*\n/.exec(text)?.index;
  const content = opening === '$' ? (text.split('\n', 1)[0] ?? '') : text.slice(0, blank);
  const close = findUnescaped(content, closing);
  if (close >= 0) {
    const latex = content.slice(0, close);
    const end = contentStart + close + closing.length;
    const isFormula = opening === '$' ? isPlainlyMath(latex, source[end]) : isDisplayMath(latex, opening);
    return isFormula ? { start, end, latex: latex.replace(/\n[ \t>]*/g, '\n'), isDisplay } : 'none';
  }
  // An opening delimiter at the end of the source may still be closed, so the text after it is held back. But in the
  // middle of a line it may not be a formula and must not hide the rest of its paragraph.
  const isAtEnd = to === source.length && limit === to && content.length === text.length;
  const isAlone = isDisplay && /(?:^|\n)[ \t>]*$/.test(source.slice(Math.max(0, start - 40), start));
  const mayClose = isAlone || (content.length < HELD_MAX_UNITS && (opening !== '$' || mayBecomeMath(content)));
  return isAtEnd && mayClose ? 'open' : 'none';
}

/** Returns whether the text between display delimiters is a formula: not prose between two `$$`. */
function isDisplayMath(latex: string, opening: string): boolean {
  return latex.trim() !== '' && (opening !== '$$' || !isProse(latex));
}

/** Returns true for text with three words in a row, not counting commands such as `\text{if and only if}`. */
function isProse(content: string): boolean {
  return /(?<!\p{L})\p{L}{2,}(?:\s+\p{L}{2,}){2}/u.test(withoutCommands(content));
}

function withoutCommands(content: string): string {
  return content.replace(/\\[a-zA-Z]+(?:\{[^{}]*\})?/g, ' ');
}

function findUnescaped(content: string, closing: string): number {
  for (let at = content.indexOf(closing); at >= 0; at = content.indexOf(closing, at + 1)) {
    if (closing.startsWith('\\') ? !/(?:^|[^\\])(?:\\\\)*\\$/.test(content.slice(0, at)) : content[at - 1] !== '\\')
      return at;
  }
  return -1;
}

/**
 * Returns true for clear mathematics: `$x^2$`, `$n$`, `$a = b$`, but not for prices (`$5 and $10`), shell variables and
 * the like.
 */
function isPlainlyMath(content: string, next: string | undefined): boolean {
  if (content === '' || /^\s|\s$/.test(content) || (next !== undefined && /[\d\p{L}]/u.test(next))) return false;
  if (/^\p{L}$/u.test(content)) return true;
  if (/^\d/.test(content) && /\p{L}{2,}/u.test(withoutCommands(content))) return false;
  return hasMathSign(content) && !isProse(content);
}

function hasMathSign(content: string): boolean {
  return /\\[a-zA-Z,;{}|]|[\^=<>+±×÷≤≥≠≈∈]|\p{L}_|\)\s*[-/*]|[\p{L}\d]\s*[-/*]\s*[\p{L}\d(\\]|^[-−]?\d+(?:\.\d+)?$|^\p{L}\(|^\|[^|]+\|$/u.test(
    content,
  );
}

/** Returns whether the beginning of a text may be clear mathematics. */
function mayBecomeMath(content: string): boolean {
  return !/^\s/.test(content) && /\\[a-zA-Z]*|[\^=]|\p{L}_|^\p{L}{1,2}\s?$/u.test(content);
}
