import type { Text } from 'mdast';
import { CONTINUED, FORMULA, NOTHING } from '../parse/prepare-source.ts';
import { getEnd, getStart, skipLinePrefix } from '../parse/source-position.ts';
import { toFormulaText } from './formula-text.ts';
import { addBreak, requestNewlines, writeStyled, writeText } from './page-draft.ts';
import { type RenderContext, reopenInline } from './render-context.ts';

/** A part of a text node's line; `sourceStart` is undefined where the source differs (`&amp;`). */
interface Fragment {
  readonly text: string;
  readonly sourceStart: number | undefined;
}

/** Appends a text node. Line breaks are kept, formulas become readable text. */
export function renderText(context: RenderContext, node: Text): void {
  const { completed } = context.parsed;
  let lineStart = getStart(node);
  const lines = node.value.split('\n');
  for (const [index, line] of lines.entries()) {
    const newline = completed.indexOf('\n', lineStart);
    const isLast = index === lines.length - 1 || newline < 0;
    const lineEnd = isLast ? getEnd(node) : newline;
    const contentStart = index === 0 ? lineStart : skipLinePrefix(completed, lineStart);
    if (index > 0) renderLineBreak(context, contentStart);
    for (const fragment of align(line, completed, contentStart, lineEnd)) renderFragment(context, fragment);
    lineStart = lineEnd + 1;
  }
}

export function renderLineBreak(context: RenderContext, sourceOffset: number): void {
  const { draft, paragraphStart } = context;
  addBreak(draft, { level: 'line', sourceOffset, paragraphStart, reopen: () => reopenInline(context) });
  requestNewlines(draft, 1);
}

/** Splits a line of a text node into parts that are identical in the source. */
function align(line: string, source: string, from: number, to: number): Fragment[] {
  if (source.startsWith(line, from)) return [{ text: line, sourceStart: from }];
  const fragments: Fragment[] = [];
  let position = from;
  let index = 0;
  let fragment = { start: 0, sourceStart: from };
  const endFragment = (): void => {
    if (index > fragment.start)
      fragments.push({ text: line.slice(fragment.start, index), sourceStart: fragment.sourceStart });
    fragment = { start: index, sourceStart: position };
  };
  while (index < line.length && position < to) {
    const reference = source[position] === '&' ? readReference(line, index, source, position) : undefined;
    if (reference) {
      endFragment();
      fragments.push({ text: line.slice(index, index + reference.shown), sourceStart: undefined });
      index += reference.shown;
      position += reference.length;
      fragment = { start: index, sourceStart: position };
    } else if (source[position] === '\\' && ESCAPABLE.test(line[index] ?? '') && line[index] === source[position + 1]) {
      endFragment();
      fragment = { start: index, sourceStart: position + 1 };
      position += 2;
      index++;
    } else if (source[position] === line[index]) {
      position++;
      index++;
    } else break;
  }
  endFragment();
  if (index < line.length) fragments.push({ text: line.slice(index), sourceStart: undefined });
  return fragments;
}

const ESCAPABLE = /[!-/:-@[-`{-~]/;

/** Returns the length of a character reference in the source and the number of units it renders to. */
function readReference(line: string, index: number, source: string, position: number) {
  const found = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z\d]{1,31});/i.exec(source.slice(position, position + 34))?.[0];
  // Unknown references are kept. `&amp;amp;` renders to text that only looks like a reference.
  if (found === undefined || (line.startsWith(found, index) && !AMPERSAND.test(found))) return undefined;
  const next = source[position + found.length];
  const isPair = /[\uD800-\uDBFF]/.test(line[index] ?? '') || (line[index + 1] !== next && line[index + 2] === next);
  return { length: found.length, shown: isPair ? 2 : 1 };
}

const AMPERSAND = /^&(?:amp|AMP|#0*38|#[xX]0*26);$/;

function renderFragment(context: RenderContext, fragment: Fragment): void {
  // Masks must map to the source to be identified, so parts with masks always have a `sourceStart`.
  let position = 0;
  for (const part of fragment.text.split(/(\u{FDD2}+)/u)) {
    const sourceStart = fragment.sourceStart === undefined ? undefined : fragment.sourceStart + position;
    if (!part.startsWith(FORMULA)) writeProse(context, part, sourceStart);
    else if (sourceStart !== undefined) renderFormulas(context, sourceStart, sourceStart + part.length);
    position += part.length;
  }
}

function writeProse(context: RenderContext, text: string, sourceStart: number | undefined): void {
  const { draft, paragraphStart } = context;
  // After a display formula the text continues at the start of a line.
  let position = draft.pendingNewlines > 0 ? text.length - text.trimStart().length : 0;
  // A footnote mark renders the same whether or not its definition has arrived.
  for (const part of hideGuards(text)
    .slice(position)

    .split(/(\[\^[^\]\s[]{1,200}\])/)) {
    const isNote = /^\[\^/.test(part);
    const start = sourceStart === undefined || isNote ? undefined : sourceStart + position;
    const source =
      start === undefined ? undefined : { sourceStart: start, paragraphStart, reopen: () => reopenInline(context) };
    writeText(draft, isNote ? `[${part.slice(2)}` : part, source);
    position += part.length;
  }
}

/** Replaces line breaks and the whitespace around them with `separator`. */
export function joinLines(text: string, separator: string): string {
  return text.replace(/\s+/g, (space) => (space.includes('\n') ? separator : space));
}

/** Hides the marker of a continued item or paragraph, including the space after it. */
function hideGuards(text: string): string {
  return text.includes(CONTINUED) ? text.replace(/\u2063 ?/g, (guard) => NOTHING.repeat(guard.length)) : text;
}

function renderFormulas(context: RenderContext, from: number, to: number): void {
  const { draft, parsed } = context;
  for (const { start, end, latex, isDisplay } of parsed.formulas) {
    if (start < from || end > to) continue;
    const text = toFormulaText(latex);
    if (isDisplay) requestNewlines(draft, 1);
    if (text === undefined) {
      const source = latex.trim();
      writeStyled(draft, source.includes('\n') ? { type: 'pre', language: 'latex' } : { type: 'code' }, () =>
        writeText(draft, source),
      );
    } else writeText(draft, isDisplay ? text : joinLines(text, '; '));
    if (isDisplay) requestNewlines(draft, 1);
  }
}
