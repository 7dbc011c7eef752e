import type { Code } from 'mdast';
import { unmask } from '../parse/parse-markdown.ts';
import { getEnd, getLineStart, getStart } from '../parse/source-position.ts';
import { addBreak, writePreformatted, writeText } from './page-draft.ts';
import type { RenderContext } from './render-context.ts';
import { getLinePrefix, reopenBlock } from './reopen-source.ts';

// Telegram replaces a tab with one space, which would flatten indentation.
const TAB = '    ';

/** Appends a code block, which may be cut between lines and within a line longer than a page. */
export function renderCode(context: RenderContext, node: Code): void {
  const { draft, parsed, containers } = context;
  const start = getStart(node);
  const opening = parsed.source.slice(start, parsed.source.indexOf('\n', start) >>> 0);
  const isFenced = /^(?:`{3}|~{3})/.test(opening);
  const reopen = () => reopenBlock(containers, isFenced ? [opening.trimEnd()] : []);
  const reopenWithinLine = () => reopen() + getLinePrefix(containers) + (isFenced ? '' : '    ');
  const lines = unmask(parsed, node.value, start, getEnd(node)).split('\n');
  let lineStart = isFenced ? start + opening.length + 1 : getLineStart(parsed.source, start);
  let isEmpty = true;
  writePreformatted(draft, cleanLanguage(node.lang), () => {
    for (const [index, line] of lines.entries()) {
      const newline = parsed.source.indexOf('\n', lineStart);
      const lineEnd = newline < 0 ? parsed.source.length : newline;
      if (!isEmpty) {
        addBreak(draft, { level: 'code-line', sourceOffset: lineStart, reopen });
        writeText(draft, '\n');
      }
      if (line.trim() !== '') isEmpty = false;
      // Leading blank lines are omitted, because they could start a message.
      if (!isEmpty) writeCodeLine(context, line, lineEnd - line.length, reopenWithinLine);
      if (index < lines.length - 1) lineStart = lineEnd + 1;
    }
  });
}

function writeCodeLine(context: RenderContext, line: string, sourceStart: number, reopen: () => string): void {
  const { draft, parsed } = context;
  const isLinear = parsed.source.startsWith(line, sourceStart);
  let position = 0;
  for (const [index, part] of line.split('\t').entries()) {
    if (index > 0) writeText(draft, TAB);
    const source = isLinear ? { sourceStart: sourceStart + position, paragraphStart: undefined, reopen } : undefined;
    writeText(draft, part, source);
    position += part.length + 1;
  }
}

/**
 * Returns the language name for highlighting: the first word of the info string, without syntax such as `{.python}` or
 * `title=…`.
 */
export function cleanLanguage(info: string | null | undefined): string | undefined {
  return /^[{.\s]*([a-z\d][a-z\d+#._-]{0,30})(?![^\s:,{}(])/i.exec(info ?? '')?.[1]?.toLowerCase();
}
