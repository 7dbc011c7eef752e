import type { Blockquote, Delete, PhrasingContent, Root, RootContent, Text } from 'mdast';
import { type BlockParent, groupDetails } from './group-details.ts';
import { getEnd, getStart } from './source-position.ts';

/** Syntax beyond GitHub's Markdown that models write and chats show in their own way, by the nodes that stand for it. */
export interface ChatSyntax {
  /** `||hidden||`. */
  readonly spoilers: ReadonlySet<Delete>;
  /** Quotes that begin with `[!NOTE]`, with their labels. The mark is not part of their content any more. */
  readonly alerts: ReadonlyMap<Blockquote, string>;
  /** Content of `<details>`, with its summary. */
  readonly details: ReadonlyMap<Blockquote, readonly PhrasingContent[]>;
}

interface FoundSyntax extends ChatSyntax {
  readonly spoilers: Set<Delete>;
  readonly alerts: Map<Blockquote, string>;
  readonly details: Map<Blockquote, readonly PhrasingContent[]>;
  readonly source: string;
}

/** Finds the syntax in a parsed source and changes the tree accordingly. */
export function findChatSyntax(root: Root, source: string): ChatSyntax {
  const found: FoundSyntax = { spoilers: new Set(), alerts: new Map(), details: new Map(), source };
  if (/<\/?(?:details|summary)/i.test(source)) groupDetails(found.details, root);
  if (source.includes('||') || source.includes('[!')) visit(found, root);
  return found;
}

function visit(found: FoundSyntax, node: BlockParent): void {
  if (node.type === 'blockquote') readAlert(found, node);
  if (node.children.some(mayDelimit)) groupSpoilers(found, node as { children: PhrasingContent[] });
  for (const child of node.children) if ('children' in child) visit(found, child);
}

/** GitHub knows five kinds, other apps more, and titles on the same line. */
const ALERT = /^\[!([a-z]{3,20})\][-+]?[ \t]*/i;
const ALERTS: ReadonlyMap<string, string> = new Map([
  ['info', 'ℹ️ Info'],
  ['note', 'ℹ️ Note'],
  ['tip', '💡 Tip'],
  ['important', '❗️ Important'],
  ['warning', '⚠️ Warning'],
  ['caution', '🛑 Caution'],
]);

/** Takes the mark of an alert out of its text. */
function readAlert({ alerts }: FoundSyntax, quote: Blockquote): void {
  const [first] = quote.children;
  const text = first?.type === 'paragraph' ? first.children[0] : undefined;
  const mark = text?.type === 'text' ? ALERT.exec(text.value) : null;
  const kind = mark?.[1]?.toLowerCase();
  if (first?.type !== 'paragraph' || text?.type !== 'text' || !mark || kind === undefined) return;
  alerts.set(quote, ALERTS.get(kind) ?? kind[0]?.toUpperCase() + kind.slice(1));
  first.children[0] = cutText(text, mark[0].length, text.value.length, getStart(text) + mark[0].length);
}

/** Delimiter of a spoiler in a text node. */
interface Delimiter {
  readonly nodeIndex: number;
  /** Offsets in the node's text and in the source. */
  readonly at: number;
  readonly sourceAt: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

const PIPES = /(?<![\\|])\|\|(?!\|)/g;

/** Replaces each pair of delimiters among the children, with what is between them, by a node. */
function groupSpoilers({ spoilers, source }: FoundSyntax, parent: { children: PhrasingContent[] }): void {
  const delimiters = parent.children.flatMap((child, index) =>
    mayDelimit(child) ? listDelimiters(child, index, source) : [],
  );
  const children: PhrasingContent[] = [];
  let from = { nodeIndex: 0, at: 0, sourceAt: undefined as number | undefined };
  let opener: Delimiter | undefined;
  for (const delimiter of delimiters) {
    if (!opener || !delimiter.canClose) {
      opener ??= delimiter.canOpen ? delimiter : undefined;
      continue;
    }
    children.push(...slice(parent.children, from, opener));
    const inner = slice(parent.children, skip(opener), delimiter);
    const spoiler: Delete = {
      type: 'delete',
      children: inner,
      position: toPosition(opener.sourceAt, delimiter.sourceAt + 2),
    };
    spoilers.add(spoiler);
    children.push(spoiler);
    from = skip(delimiter);
    opener = undefined;
  }
  if (children.length > 0) parent.children = [...children, ...slice(parent.children, from, undefined)];
}

function mayDelimit(node: RootContent): node is Text {
  return node.type === 'text' && node.value.includes('||');
}

function listDelimiters(text: Text, nodeIndex: number, source: string): readonly Delimiter[] {
  const start = getStart(text);
  const inSource = [...source.slice(start, getEnd(text)).matchAll(PIPES)];
  const inText = [...text.value.matchAll(PIPES)];
  // Escapes and references hide the place of a delimiter in the source.
  if (inSource.length !== inText.length) return [];
  return inText.map(({ index: at }, order) => {
    const sourceAt = start + (inSource[order]?.index ?? 0);
    return { nodeIndex, at, sourceAt, ...getSpoilerFlanks(source[sourceAt - 1], source[sourceAt + 2]) };
  });
}

/** Returns whether two pipes may begin or end a spoiler: `a || b` and `x||y` are code. */
export function getSpoilerFlanks(before: string | undefined, after: string | undefined) {
  const isSpace = (character: string | undefined) => character === undefined || /\s/.test(character);
  const isWord = (character: string | undefined) => character !== undefined && WORD.test(character);
  return { canOpen: !isSpace(after) && !isWord(before), canClose: !isSpace(before) && !isWord(after) };
}

/** Letters of scripts that write spaces between words. */
const WORD = /[\p{N}\p{scx=Latin}\p{scx=Cyrillic}\p{scx=Greek}]/u;

interface Place {
  readonly nodeIndex: number;
  readonly at: number;
  readonly sourceAt: number | undefined;
}

function skip({ nodeIndex, at, sourceAt }: Delimiter) {
  return { nodeIndex, at: at + 2, sourceAt: sourceAt + 2 };
}

/** Returns the children between two places, with the texts at their ends cut. */
function slice(nodes: readonly PhrasingContent[], from: Place, to: Place | undefined): PhrasingContent[] {
  const lastIndex = to?.nodeIndex ?? nodes.length - 1;
  return nodes.slice(from.nodeIndex, lastIndex + 1).flatMap((node, offset): PhrasingContent[] => {
    if (node.type !== 'text') return [node];
    const isFirst = offset === 0;
    const isLast = from.nodeIndex + offset === lastIndex;
    const start = isFirst ? from.at : 0;
    const end = to && isLast ? to.at : node.value.length;
    return start < end ? [cutText(node, start, end, isFirst ? from.sourceAt : undefined, to?.sourceAt)] : [];
  });
}

/** Returns a part of a text, which begins and ends at these places of the source. */
function cutText(text: Text, from: number, to: number, sourceFrom = getStart(text), sourceTo = getEnd(text)): Text {
  const end = to === text.value.length ? getEnd(text) : sourceTo;
  return { ...text, value: text.value.slice(from, to), position: toPosition(sourceFrom, end) };
}

function toPosition(start: number, end: number): NonNullable<Text['position']> {
  return { start: { line: 1, column: 1, offset: start }, end: { line: 1, column: 1, offset: end } };
}
