import type { Element, ElementContent, Nodes, Properties, Root } from 'hast';
import { toHtml } from 'hast-util-to-html';
import katex from 'katex';
import type { Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { defaultHandlers, type Handlers, toHast } from 'mdast-util-to-hast';
import { findFences } from '../../lib/markdown/find-fences.ts';
import { type Formula, findFormulas } from '../../lib/markdown/find-formulas.ts';
import { isTooComplex } from '../../lib/markdown/is-too-complex.ts';
import { MARKDOWN_SYNTAX } from '../../lib/markdown/markdown-syntax.ts';
import { type Html, html } from '../pages/html.ts';

/**
 * Renders untrusted Markdown as inert HTML: HTML in it becomes text, images become links, links get `rel="nofollow
 * ugc"`, formulas become MathML. Text that would take very long to parse becomes plain text. Rendering may still take
 * seconds and much memory, so it runs in a child process.
 * @param scope prefix unique within the page, for the ids of footnotes.
 */
export function renderMarkdown(source: string, scope: string): Html {
  const text = source.replace(NONCHARACTERS, '');
  const fences = findFences(text);
  if (isTooComplex(text, fences)) {
    return html`<p class="plain">${text}</p>`;
  }
  const { formulas } = findFormulas(text, fences);
  const masked = maskFormulas(text, formulas);
  const markdown = fromMarkdown(masked, {
    extensions: SYNTAX,
    mdastExtensions: [gfmFromMarkdown()],
  });
  const tree = toHast(markdown, {
    clobberPrefix: `${scope}-`,
    // A heading would break the heading order of the page.
    footnoteLabelTagName: 'p',
    footnoteLabelProperties: { className: ['sr-only'] },
    handlers: {
      html: (_state, node: { value: string }) => ({ type: 'text', value: node.value }),
      ...boundTables(masked),
    },
  });
  return {
    markup: toHtml(toHarmless(tree, { formulas, sources: formulas.map(({ start, end }) => text.slice(start, end)) }), {
      allowDangerousHtml: true,
    }),
  };
}

// HTML blocks are disabled, because Markdown in them would not be parsed.
const SYNTAX = [...MARKDOWN_SYNTAX, { disable: { null: ['htmlFlow'] } }];

/** Delimiter of formula placeholders. Unicode noncharacters don't occur in text. */
const MARK = '\u{FDD2}';
const NONCHARACTERS = /[\u{FDD0}-\u{FDEF}]/gu;
const MIN_TABLE_CELLS = 1000;

/**
 * Returns a handler that renders a table as preformatted text if the tables of the message have more cells than the
 * message has characters. Rows are padded to the columns of the header, so the number of cells can be quadratic in the
 * length of the text.
 */
function boundTables(source: string): Pick<Handlers, 'table'> {
  let cellsLeft = Math.max(MIN_TABLE_CELLS, source.length);
  return {
    table(state, node: Table) {
      cellsLeft -= (node.align?.length ?? 0) * node.children.length;
      if (cellsLeft >= 0) return defaultHandlers.table(state, node);
      const value = source.slice(node.position?.start.offset, node.position?.end.offset);
      const code: Element = { type: 'element', tagName: 'code', properties: {}, children: [{ type: 'text', value }] };
      return { type: 'element', tagName: 'pre', properties: {}, children: [code] };
    },
  };
}

function maskFormulas(source: string, formulas: readonly Formula[]): string {
  let masked = '';
  let position = 0;
  for (const [index, { start, end }] of formulas.entries()) {
    masked += source.slice(position, start) + MARK + index + MARK;
    position = end;
  }
  return masked + source.slice(position);
}

/** Content of the formula placeholders. */
interface Marked {
  readonly formulas: readonly Formula[];
  /** Original source, including delimiters. */
  readonly sources: readonly string[];
}

function toHarmless(tree: Nodes, marked: Marked): Root {
  const children = tree.type === 'root' ? tree.children : [tree];
  return { type: 'root', children: children.flatMap((child) => toHarmlessNode(child, marked)) };
}

function toHarmlessNode(node: Nodes, marked: Marked): ElementContent[] {
  if (node.type === 'text') return toFormulas(node.value, marked);
  if (node.type !== 'element') return [];
  if (node.tagName === 'img') return [toImageLink(node, marked)];
  if (node.tagName === 'input') return [{ type: 'text', value: node.properties['checked'] ? '☑' : '☐' }];
  // Formulas in code keep their source.
  const inside = node.tagName === 'code' ? { ...marked, formulas: [] } : marked;
  const children = node.children.flatMap((child) => toHarmlessNode(child, inside));
  const element: Element = { ...node, ...toPlainElement(node, marked), children };
  // Wide elements scroll by themselves on phones, also by keyboard.
  return node.tagName === 'table' || node.tagName === 'pre' ? [toScrolling(element)] : [element];
}

function toPlainElement({ tagName, properties }: Element, marked: Marked): Pick<Element, 'tagName' | 'properties'> {
  const heading = /^h([1-6])$/.exec(tagName)?.[1];
  // The page already has a title and a heading for each message.
  if (heading !== undefined) return { tagName: `h${Math.min(6, Number(heading) + 2)}`, properties: {} };
  const { href, align } = properties;
  if (tagName === 'a') {
    // It refers to a heading that would exist once per message with footnotes.
    const { ariaDescribedBy: _, href: __, ...own } = properties;
    return { tagName, properties: { ...own, ...(String(href).startsWith('#') ? { href } : toForeign(href, marked)) } };
  }
  // The language class is untrusted input.
  if (tagName === 'code') return { tagName, properties: {} };
  // The page's policy forbids inline styles.
  if (tagName === 'td' || tagName === 'th') {
    return { tagName, properties: align ? { className: [`align-${String(align)}`] } : {} };
  }
  return { tagName, properties };
}

const MARKED_IN_ADDRESS = /%EF%B7%92(\d+)%EF%B7%92/g;
/** Allowed URL schemes; excludes scripts, whatever the parser returns. */
const SAFE_ADDRESS = /^(?:https?:|mailto:|tel:)/i;

/** Returns the properties of an untrusted link. */
function toForeign(address: unknown, { sources }: Marked): Properties {
  const href = String(address ?? '').replaceAll(MARKED_IN_ADDRESS, (_, index) =>
    encodeURI(sources[Number(index)] ?? ''),
  );
  return { ...(SAFE_ADDRESS.test(href) && { href }), rel: ['nofollow', 'noopener', 'noreferrer', 'ugc'] };
}

function toImageLink({ properties: { src, alt } }: Element, marked: Marked): Element {
  const properties = toForeign(src, marked);
  const value = String(alt ?? '') || String(properties['href'] ?? '');
  return { type: 'element', tagName: 'a', properties, children: toFormulas(value, { ...marked, formulas: [] }) };
}

function toScrolling(element: Element): Element {
  return {
    type: 'element',
    tagName: 'div',
    properties: { className: ['scrolling'], tabIndex: 0 },
    children: [element],
  };
}

const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');

function toFormulas(text: string, { formulas, sources }: Marked): ElementContent[] {
  return text.split(MARKED).map((chunk, index) => {
    if (index % 2 === 0) return { type: 'text', value: chunk };
    const formula = formulas[Number(chunk)];
    if (!formula) return { type: 'text', value: sources[Number(chunk)] ?? '' };
    return { type: 'raw', value: toMathMl(formula) };
  });
}

/** Converts a formula to MathML. Invalid formulas are shown as source. */
function toMathMl({ latex, isDisplay }: Formula): string {
  try {
    const markup = katex.renderToString(latex, {
      displayMode: isDisplay,
      output: 'mathml',
      strict: 'ignore',
      maxSize: 10,
      maxExpand: 200,
    });
    const plain = markup.replaceAll(/ style="[^"]*"/g, '');
    return isDisplay ? `<span class="scrolling" tabindex="0">${plain}</span>` : plain;
  } catch {
    return html`<code>${latex}</code>`.markup;
  }
}
