import type { RichText } from '@grammyjs/types';
import type { Image, ImageReference, Link, LinkReference, PhrasingContent, Text } from 'mdast';
import type { Formula } from '../../lib/markdown/find-formulas.ts';
import { toLinkAddress } from './link-address.ts';
import { type ParsedMarkdown, unmask } from './parse-markdown.ts';
import { FORMULA, NOTHING } from './prepare-source.ts';
import { findClosingTag, getTarget, HTML_STYLES } from './render-inlines.ts';
import { getEnd, getStart } from './source-position.ts';

/** A formula on lines of its own. */
export interface DisplayFormula {
  readonly latex: string;
}

/** Part of a paragraph. */
export type RichPiece = RichText | DisplayFormula;

/** Converts phrasing content to texts and display formulas, in source order. */
export function toRichPieces(parsed: ParsedMarkdown, nodes: readonly PhrasingContent[]): RichPiece[] {
  const pieces: RichPiece[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node?.type === 'html') {
      const { piece, last } = toHtmlPiece(parsed, nodes, index);
      pieces.push(piece);
      index = last;
    } else if (node) pieces.push(...toPieces(parsed, node));
  }
  return pieces;
}

/** Converts phrasing content to rich text, with all formulas inline. */
export function toRichText(parsed: ParsedMarkdown, nodes: readonly PhrasingContent[]): RichText {
  return joinTexts(toRichPieces(parsed, nodes).map((piece) => (isDisplayFormula(piece) ? toExpression(piece) : piece)));
}

export function isDisplayFormula(piece: RichPiece): piece is DisplayFormula {
  return typeof piece === 'object' && 'latex' in piece;
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

function toPieces(parsed: ParsedMarkdown, node: PhrasingContent): RichPiece[] {
  switch (node.type) {
    case 'text':
      return splitText(parsed, node);
    case 'strong':
      return [{ type: 'bold', text: toRichText(parsed, node.children) }];
    case 'emphasis':
      return [{ type: 'italic', text: toRichText(parsed, node.children) }];
    case 'delete':
      return [{ type: 'strikethrough', text: toRichText(parsed, node.children) }];
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
function splitText({ formulas, ...parsed }: ParsedMarkdown, node: Text): RichPiece[] {
  const [start, end] = [getStart(node), getEnd(node)];
  const own = formulas.filter((formula) => formula.start >= start && formula.end <= end);
  const masked = [...node.value].filter((character) => character === FORMULA).length;
  if (masked !== own.reduce((sum, formula) => sum + formula.end - formula.start, 0))
    return [clean(unmask({ formulas, ...parsed }, node.value, start, end))];
  const pieces: RichPiece[] = [];
  let position = 0;
  for (const formula of own) {
    const at = node.value.indexOf(FORMULA, position);
    pieces.push(clean(node.value.slice(position, at)), toFormulaPiece(formula));
    position = at + formula.end - formula.start;
  }
  return [...pieces, clean(node.value.slice(position))].filter((piece) => piece !== '');
}

function toFormulaPiece({ latex, isDisplay }: Formula): RichPiece {
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
function toHtmlPiece(
  parsed: ParsedMarkdown,
  nodes: readonly PhrasingContent[],
  index: number,
): { readonly piece: RichText; readonly last: number } {
  const node = nodes[index];
  if (node?.type !== 'html') return { piece: '', last: index };
  if (/^<br\s*\/?>$/i.test(node.value)) return { piece: '\n', last: index };
  const tag = /^<([a-z]+)>$/i.exec(node.value)?.[1]?.toLowerCase() ?? '';
  const type = SCRIPTS[tag] ?? HTML_STYLES[tag]?.type;
  const closing = type && findClosingTag(parsed, nodes, index, tag);
  if (!type || closing === undefined)
    return { piece: clean(unmask(parsed, node.value, getStart(node), getEnd(node))), last: index };
  return { piece: { type, text: toRichText(parsed, nodes.slice(index + 1, closing)) }, last: closing };
}

const SCRIPTS: { readonly [tag: string]: 'superscript' | 'subscript' } = { sup: 'superscript', sub: 'subscript' };
