import type { RichText } from '@grammyjs/types';
import type { Image, ImageReference, Link, LinkReference, PhrasingContent, Text } from 'mdast';
import type { Formula } from '../../../lib/markdown/find-formulas.ts';
import { type ParsedMarkdown, unmask } from '../parse/parse-markdown.ts';
import { FORMULA, NOTHING } from '../parse/prepare-source.ts';
import { getEnd, getStart } from '../parse/source-position.ts';
import { toLinkAddress } from '../render/link-address.ts';
import { findClosingTag, getTarget, HTML_STYLES } from '../render/render-inlines.ts';

/** A formula on lines of its own. */
export interface DisplayFormula {
  readonly latex: string;
}

/** Part of a paragraph. */
export type RichFragment = RichText | DisplayFormula;

/** Converts phrasing content to texts and display formulas, in source order. */
export function toRichFragments(parsed: ParsedMarkdown, nodes: readonly PhrasingContent[]): RichFragment[] {
  const fragments: RichFragment[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node?.type === 'html') {
      const { fragment, last } = toHtmlFragment(parsed, nodes, index);
      fragments.push(fragment);
      index = last;
    } else if (node) fragments.push(...toFragments(parsed, node));
  }
  return fragments;
}

/** Converts phrasing content to rich text, with all formulas inline. */
export function toRichText(parsed: ParsedMarkdown, nodes: readonly PhrasingContent[]): RichText {
  return joinTexts(
    toRichFragments(parsed, nodes).map((fragment) => (isDisplayFormula(fragment) ? toExpression(fragment) : fragment)),
  );
}

export function isDisplayFormula(fragment: RichFragment): fragment is DisplayFormula {
  return typeof fragment === 'object' && 'latex' in fragment;
}

/** Joins texts, merging adjacent strings. Returns an empty string for no texts. */
export function joinTexts(texts: readonly RichText[]): RichText {
  const joined: RichText[] = [];
  for (const text of texts) {
    const last = joined.at(-1);
    if (typeof text === 'string' && typeof last === 'string') joined[joined.length - 1] = last + text;
    else if (text !== '') joined.push(text);
  }
  const [only = ''] = joined;
  return joined.length > 1 ? joined : only;
}

function toExpression({ latex }: DisplayFormula): RichText {
  return { type: 'mathematical_expression', expression: latex.trim() };
}

function toFragments(parsed: ParsedMarkdown, node: PhrasingContent): RichFragment[] {
  switch (node.type) {
    case 'text':
      return splitText(parsed, node);
    case 'strong':
      return [{ type: 'bold', text: toRichText(parsed, node.children) }];
    case 'emphasis':
      return [{ type: 'italic', text: toRichText(parsed, node.children) }];
    case 'delete':
      return [
        {
          type: parsed.syntax.spoilers.has(node) ? 'spoiler' : 'strikethrough',
          text: toRichText(parsed, node.children),
        },
      ];
    case 'inlineCode':
      return [{ type: 'code', text: clean(unmask(parsed, node.value, getStart(node), getEnd(node))) }];
    case 'break':
      return ['\n'];
    case 'link':
    case 'linkReference':
      return [toLink(parsed, node, toRichText(parsed, node.children))];
    case 'image':
    case 'imageReference':
      return [toLink(parsed, node, clean(unmask(parsed, node.alt ?? '', getStart(node), getEnd(node))))];
    case 'footnoteReference':
      return [`[${node.label ?? node.identifier}]`];
    default:
      return [];
  }
}

/** Splits a text node into texts and formulas, in source order. */
function splitText({ formulas, ...parsed }: ParsedMarkdown, node: Text): RichFragment[] {
  const [start, end] = [getStart(node), getEnd(node)];
  const own = formulas.filter((formula) => formula.start >= start && formula.end <= end);
  const masked = [...node.value].filter((character) => character === FORMULA).length;
  if (masked !== own.reduce((sum, formula) => sum + formula.end - formula.start, 0))
    return [clean(unmask({ formulas, ...parsed }, node.value, start, end))];
  const fragments: RichFragment[] = [];
  let position = 0;
  for (const formula of own) {
    const at = node.value.indexOf(FORMULA, position);
    fragments.push(clean(node.value.slice(position, at)), toFormulaFragment(formula));
    position = at + formula.end - formula.start;
  }
  return [...fragments, clean(node.value.slice(position))].filter((fragment) => fragment !== '');
}

function toFormulaFragment({ latex, isDisplay }: Formula): RichFragment {
  return isDisplay ? { latex } : toExpression({ latex });
}

/** Removes placeholders of the parser. A footnote mark renders the same whether or not its definition has arrived. */
function clean(text: string): string {
  return text
    .replaceAll(NOTHING, '')
    .replace(/\u2063 ?/g, '')
    .replace(/\[\^([^\]\s[]{1,200}\])/g, '[$1')
    .replaceAll('\t', ' ');
}

function toLink(
  parsed: ParsedMarkdown,
  node: Link | LinkReference | Image | ImageReference,
  label: RichText,
): RichText {
  const written = getTarget(parsed, node);
  const url = toLinkAddress(written);
  if (label === '') return url === undefined ? written : { type: 'url', text: written, url };
  if (url !== undefined) return { type: 'url', text: label, url };
  const isSilent = written === '' || /^(?:#|data:|mailto:)/i.test(written) || label === written;
  return isSilent ? label : joinTexts([label, ` (${written})`]);
}

/**
 * Converts a simple formatting tag with its content; any other tag becomes text. `last` is the index of the last node
 * used.
 */
function toHtmlFragment(
  parsed: ParsedMarkdown,
  nodes: readonly PhrasingContent[],
  index: number,
): { readonly fragment: RichText; readonly last: number } {
  const node = nodes[index];
  if (node?.type !== 'html') return { fragment: '', last: index };
  if (/^<br\s*\/?>$/i.test(node.value)) return { fragment: '\n', last: index };
  const tag = /^<([a-z]+)>$/i.exec(node.value)?.[1]?.toLowerCase() ?? '';
  const type = SCRIPTS[tag] ?? HTML_STYLES[tag]?.type;
  const closing = type && findClosingTag(parsed, nodes, index, tag);
  if (!type || closing === undefined)
    return { fragment: clean(unmask(parsed, node.value, getStart(node), getEnd(node))), last: index };
  return { fragment: { type, text: toRichText(parsed, nodes.slice(index + 1, closing)) }, last: closing };
}

const SCRIPTS: { readonly [tag: string]: 'superscript' | 'subscript' } = { sup: 'superscript', sub: 'subscript' };
