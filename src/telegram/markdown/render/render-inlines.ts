import type { Delete, Image, ImageReference, InlineCode, Link, LinkReference, PhrasingContent } from 'mdast';
import { type ParsedMarkdown, unmask } from '../parse/parse-markdown.ts';
import { getEnd, getStart, skipLinePrefix } from '../parse/source-position.ts';
import { toSubscript, toSuperscript } from './formula-text.ts';
import { toLinkAddress } from './link-address.ts';
import { createPageDraft, requestNewlines, type Style, writeStyled, writeText } from './page-draft.ts';
import { type PlainLine, type RenderContext, reopenInline } from './render-context.ts';
import { joinLines, renderLineBreak, renderText } from './render-text.ts';

/** Appends phrasing content (the inside of a paragraph, heading or cell) to the draft. */
export function renderInlines(context: RenderContext, nodes: readonly PhrasingContent[]): void {
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node?.type === 'html') index = renderHtml(context, nodes, index);
    else if (node) renderInline(context, node);
  }
}

/** Renders the content as one line of plain text. */
export function toPlainLine(context: RenderContext, nodes: readonly PhrasingContent[]): PlainLine {
  const draft = createPageDraft();
  renderInlines({ ...context, draft }, nodes);
  const hasLinks = draft.styled.some(({ style }) => style.type === 'text_link');
  return { text: joinLines(draft.text, ' ').trim(), hasLinks };
}

function renderInline(context: RenderContext, node: PhrasingContent): void {
  switch (node.type) {
    case 'text':
      renderText(context, node);
      break;
    case 'strong':
      renderEmphasis(context, node, { type: 'bold' }, 2);
      break;
    case 'emphasis':
      renderEmphasis(context, node, { type: 'italic' }, 1);
      break;
    case 'delete':
      renderEmphasis(context, node, { type: isSpoiler(context, node) ? 'spoiler' : 'strikethrough' }, 2);
      break;
    case 'inlineCode':
      renderInlineCode(context, node);
      break;
    case 'break':
      renderLineBreak(context, skipLinePrefix(context.parsed.completed, getEnd(node)));
      break;
    case 'link':
    case 'linkReference':
      renderLink(context, node);
      break;
    case 'image':
    case 'imageReference':
      renderImage(context, node);
      break;
    case 'footnoteReference':
      writeText(context.draft, `[${node.label ?? node.identifier}]`);
      break;
    default:
    // Formulas are masked and HTML is handled by `renderHtml`; the parser creates no other nodes.
  }
}

function isSpoiler({ parsed: { syntax } }: RenderContext, node: Delete): boolean {
  return syntax.spoilers.has(node);
}

function renderEmphasis(
  context: RenderContext,
  node: { children: PhrasingContent[] } & PhrasingContent,
  style: Style,
  markerLength: number,
): void {
  const start = getStart(node);
  if (context.openMarkers.length > MAX_OPEN_MARKERS) {
    writeText(context.draft, toPlainSource(context, start, getEnd(node)));
    return;
  }
  const marker = context.parsed.completed.slice(start, start + markerLength);
  const inner = { ...context, openMarkers: context.openMarkers + marker };
  writeStyled(context.draft, style, () => renderInlines(inner, node.children));
}

// Deeper emphasis does not occur in real text.
const MAX_OPEN_MARKERS = 60;

function toPlainSource({ parsed }: RenderContext, start: number, end: number): string {
  return parsed.source.slice(start, end).replace(/\s+/g, ' ');
}

function renderInlineCode(context: RenderContext, node: InlineCode): void {
  const start = getStart(node);
  const end = getEnd(node);
  const value = unmask(context.parsed, node.value, start, end);
  const ticks = /^`+/.exec(context.parsed.completed.slice(start, end))?.[0] ?? '`';
  const valueStart = start + ticks.length + (context.parsed.source[start + ticks.length] === value[0] ? 0 : 1);
  const isLinear = context.parsed.source.slice(valueStart, valueStart + value.length) === value;
  const inner = { ...context, openMarkers: context.openMarkers + ticks };
  const source = isLinear
    ? { sourceStart: valueStart, paragraphStart: context.paragraphStart, reopen: () => reopenInline(inner) }
    : undefined;
  writeStyled(context.draft, { type: 'code' }, () => writeText(context.draft, value.replaceAll('\n', ' '), source));
}

function renderLink(context: RenderContext, node: Link | LinkReference): void {
  const url = getTarget(context.parsed, node);
  const label = toPlainLine(context, node.children).text;
  const inner = { ...context, openMarkers: `${context.openMarkers}[` };
  const write = () => (label === '' ? writeText(context.draft, url) : renderInlines(inner, node.children));
  const address = toLinkAddress(url);
  // Telegram makes a visible URL a link by itself.
  if (label === url || `http://${label}` === url || `mailto:${label}` === url) renderInlines(context, node.children);
  else if (address) writeStyled(context.draft, { type: 'text_link', url: address }, write);
  else {
    write();
    if (label !== '' && url !== '' && !url.startsWith('#')) writeText(context.draft, ` (${url})`);
  }
}

function renderImage(context: RenderContext, node: Image | ImageReference): void {
  const { draft } = context;
  const url = getTarget(context.parsed, node);
  const alt = unmask(context.parsed, node.alt ?? '', getStart(node), getEnd(node)).replace(/\s+/g, ' ');
  const address = toLinkAddress(url);
  if (alt === '' || alt === url) writeText(draft, url);
  else if (address) writeStyled(draft, { type: 'text_link', url: address }, () => writeText(draft, alt));
  // An image embedded as a URL (`data:image/png;base64,…`) is not readable as text.
  else writeText(draft, url === '' || /^data:/i.test(url) ? alt : `${alt} (${url})`);
}

/** Returns the original URL of a link or an image; empty if its definition is missing. */
export function getTarget(parsed: ParsedMarkdown, node: Link | LinkReference | Image | ImageReference): string {
  const url = 'url' in node ? node.url : (parsed.definitions.get(node.identifier)?.url ?? '');
  return unmask(parsed, url, getStart(node), getEnd(node));
}

/** Formatting of simple HTML tags. */
export const HTML_STYLES: {
  readonly [tag: string]: { readonly type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' };
} = {
  b: { type: 'bold' },
  strong: { type: 'bold' },
  i: { type: 'italic' },
  em: { type: 'italic' },
  u: { type: 'underline' },
  ins: { type: 'underline' },
  s: { type: 'strikethrough' },
  del: { type: 'strikethrough' },
  strike: { type: 'strikethrough' },
  code: { type: 'code' },
  kbd: { type: 'code' },
};

/**
 * Renders an HTML tag, together with its content if it is a simple formatting tag. Returns the index of the last node
 * used.
 */
function renderHtml(context: RenderContext, nodes: readonly PhrasingContent[], index: number): number {
  const node = nodes[index];
  if (node?.type !== 'html') return index;
  const start = getStart(node);
  if (/^<br\s*\/?>$/i.test(node.value)) {
    requestNewlines(context.draft, 1);
    return index;
  }
  const tag = /^<([a-z]+)>$/i.exec(node.value)?.[1]?.toLowerCase();
  const style = HTML_STYLES[tag ?? ''];
  const script = tag === 'sup' ? toSuperscript : tag === 'sub' ? toSubscript : undefined;
  const isNested = context.openMarkers.length <= MAX_OPEN_MARKERS;
  const closing = isNested && (style || script) ? findClosingTag(context.parsed, nodes, index, tag ?? '') : undefined;
  if (closing === undefined) {
    const value = unmask(context.parsed, node.value, start, getEnd(node));
    writeText(context.draft, value, {
      sourceStart: start,
      paragraphStart: context.paragraphStart,
      reopen: () => reopenInline(context),
    });
    return index;
  }
  const content = nodes.slice(index + 1, closing);
  const inner = { ...context, openMarkers: `${context.openMarkers}<${tag}>` };
  if (script) writeText(context.draft, toScriptText(script, toPlainLine(context, content).text));
  else if (style?.type === 'code') {
    writeStyled(context.draft, style, () => writeText(context.draft, toPlainLine(context, content).text));
  } else if (style) writeStyled(context.draft, style, () => renderInlines(inner, content));
  return closing;
}

function toScriptText(script: (text: string) => string, text: string): string {
  return text === '' ? '' : script(text);
}

/** Returns the index of the closing tag. In a partial answer, a missing closing tag counts as being at the end. */
export function findClosingTag(
  parsed: ParsedMarkdown,
  nodes: readonly PhrasingContent[],
  opening: number,
  tag: string,
): number | undefined {
  const found = nodes.findIndex(
    (node, index) => index > opening && node.type === 'html' && node.value.toLowerCase() === `</${tag}>`,
  );
  if (found >= 0) return found;
  const last = nodes.at(-1);
  const isAtEnd = last !== undefined && /^\s*$/.test(parsed.completed.slice(getEnd(last)));
  return parsed.isPartial && isAtEnd ? nodes.length : undefined;
}
