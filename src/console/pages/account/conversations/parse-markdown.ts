import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { findFences } from '../../../../lib/markdown/find-fences.ts';
import { findFormulas } from '../../../../lib/markdown/find-formulas.ts';
import { isTooComplex } from '../../../../lib/markdown/is-too-complex.ts';
import { MARKDOWN_SYNTAX } from '../../../../lib/markdown/markdown-syntax.ts';

/** Parses an answer. Formulas become inline code with their LaTeX. Returns undefined if it could take long. */
export function parseMarkdown(source: string): Root | undefined {
  const fences = findFences(source);
  if (isTooComplex(source, fences)) return undefined;
  const { formulas } = findFormulas(source, fences);
  let text = '';
  let position = 0;
  for (const { start, end, latex } of formulas) {
    text += `${source.slice(position, start)}\`\` ${latex.trim()} \`\``;
    position = end;
  }
  return fromMarkdown(text + source.slice(position), {
    extensions: MARKDOWN_SYNTAX,
    mdastExtensions: [gfmFromMarkdown()],
  });
}
