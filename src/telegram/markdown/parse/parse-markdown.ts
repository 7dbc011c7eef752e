import type { Definition, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { findFences } from '../../../lib/markdown/find-fences.ts';
import { type Formula, findFormulas } from '../../../lib/markdown/find-formulas.ts';
import { isTooNested } from '../../../lib/markdown/is-too-nested.ts';
import { MARKDOWN_SYNTAX } from '../../../lib/markdown/markdown-syntax.ts';
import { type ChatSyntax, findChatSyntax } from './chat-syntax.ts';
import { completePartial } from './complete-partial.ts';
import { FORMULA } from './prepare-source.ts';

/** A parsed source: the tree, with the data that maps nodes to their source. */
export interface ParsedMarkdown {
  readonly root: Root;
  /** The given source; the tree's offsets refer to it. */
  readonly source: string;
  /** The source with its formulas masked. */
  readonly masked: string;
  /** The parsed source: masked, and completed at its end if partial. */
  readonly completed: string;
  readonly formulas: readonly Formula[];
  /** Targets of `[text][label]`, by normalized label. */
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly isPartial: boolean;
  readonly syntax: ChatSyntax;
}

// HTML blocks are disabled so that Markdown between tags is parsed and a lone `<think>` hides nothing.
const SYNTAX = [...MARKDOWN_SYNTAX, { disable: { null: ['htmlFlow'] } }];
// The tree transform for bare URLs is omitted: its nodes have no positions, and the tokenizer finds them anyway.
const TREE = gfmFromMarkdown()
  .flat()
  .map(({ transforms: _, ...extension }) => extension);

/**
 * Parses a prepared source. The incomplete end of a partial source is closed or dropped. Returns undefined for nesting
 * deeper than 16 levels or hundreds of nested quotes, because parse time is quadratic in them.
 */
export function parseMarkdown(source: string, isPartial: boolean): ParsedMarkdown | undefined {
  if (isTooNested(source)) return undefined;
  const fences = findFences(source);
  const { formulas, openAt } = findFormulas(source, fences);
  const masked = maskFormulas(source, formulas);
  const completed = isPartial ? completePartial(masked, fences, openAt) : masked;
  const root = fromMarkdown(completed, { extensions: SYNTAX, mdastExtensions: TREE });
  const syntax = findChatSyntax(root, completed);
  return { root, source, masked, completed, formulas, definitions: collectDefinitions(root), isPartial, syntax };
}

function maskFormulas(source: string, formulas: readonly Formula[]): string {
  let masked = '';
  let position = 0;
  for (const { start, end } of formulas) {
    masked += source.slice(position, start) + FORMULA.repeat(end - start);
    position = end;
  }
  return masked + source.slice(position);
}

/** Restores the formulas that were masked in the value of a code span, link target or similar. */
export function unmask(parsed: ParsedMarkdown, value: string, start: number, end: number): string {
  if (!value.includes(FORMULA)) return value;
  const hidden = parsed.formulas.filter((formula) => formula.start >= start && formula.end <= end);
  const source = hidden.map((formula) => parsed.source.slice(formula.start, formula.end)).join('');
  let position = 0;
  return value.replace(new RegExp(`${FORMULA}+`, 'g'), (run) => {
    position += run.length;
    return source.slice(position - run.length, position);
  });
}

function collectDefinitions(root: Root): Map<string, Definition> {
  const definitions = new Map<string, Definition>();
  const visit = (node: Root | RootContent): void => {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    if (node.type === 'root' || node.type === 'blockquote' || node.type === 'list' || node.type === 'listItem') {
      for (const child of node.children) visit(child);
    }
  };
  visit(root);
  return definitions;
}
