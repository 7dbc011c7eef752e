import type { Blockquote, Paragraph, PhrasingContent, Root, RootContent } from 'mdast';

export type BlockParent = Extract<Root | RootContent, { readonly children: unknown[] }>;

const OPENING = /^<details(?:\s[^>]*)?>$/i;
const CLOSING = /^<\/details\s*>$/i;
const SUMMARY = /^<summary(?:\s[^>]*)?>$/i;
const SUMMARY_END = /^<\/summary\s*>$/i;
const TAGS = [OPENING, CLOSING, SUMMARY, SUMMARY_END];

/**
 * Moves the blocks between `<details>` and `</details>` into a quote. A page may begin or end within, so each tag may
 * lack its counterpart.
 * @param details gets the summary of each quote.
 * @returns whether a `</details>` belongs to an element outside.
 */
export function groupDetails(details: Map<Blockquote, readonly PhrasingContent[]>, parent: BlockParent): boolean {
  const blocks = parent.children as RootContent[];
  const grouped: RootContent[] = [];
  let open: Blockquote | undefined;
  let depth = 0;
  let closesOuter = false;
  const close = () => {
    if (depth === 0) closesOuter = true;
    depth = Math.max(0, depth - 1);
    if (depth === 0) open = undefined;
  };
  const begin = (at: PhrasingContent) => {
    depth += 1;
    if (open) return;
    open = { type: 'blockquote', children: [], ...(at.position && { position: at.position }) };
    details.set(open, []);
    grouped.push(open);
  };
  const setSummary = (summary: PhrasingContent[]) => {
    if (open && depth === 1 && details.get(open)?.length === 0) details.set(open, summary);
    else addParagraph(add, summary);
  };
  const add = (block: RootContent) => {
    if (open) open.children.push(block as Blockquote['children'][number]);
    else grouped.push(block);
  };
  for (const block of blocks) {
    if (block.type === 'paragraph' && block.children.some(isDetailsTag)) {
      splitAtTags(block, { begin, close, add, setSummary });
      continue;
    }
    add(block);
    if (NESTED.has(block.type) && groupDetails(details, block as BlockParent)) close();
  }
  parent.children = grouped as typeof parent.children;
  return closesOuter;
}

const NESTED: ReadonlySet<string> = new Set(['blockquote', 'list', 'listItem']);

function isDetailsTag(node: PhrasingContent): boolean {
  return node.type === 'html' && TAGS.some((tag) => tag.test(node.value));
}

interface DetailsHandlers {
  readonly begin: (at: PhrasingContent) => void;
  readonly close: () => void;
  readonly add: (block: RootContent) => void;
  readonly setSummary: (summary: PhrasingContent[]) => void;
}

/** Splits a paragraph with tags of details. */
function splitAtTags({ children }: Paragraph, { begin, close, add, setSummary }: DetailsHandlers): void {
  let inlines: PhrasingContent[] = [];
  const flush = () => {
    addParagraph(add, withoutOuterSpace(inlines));
    inlines = [];
  };
  let isInSummary = false;
  const endSummary = () => {
    if (!isInSummary) return flush();
    setSummary(withoutOuterSpace(inlines));
    inlines = [];
    isInSummary = false;
  };
  for (const node of children) {
    const tag = node.type === 'html' ? node.value : '';
    if (!TAGS.some((one) => one.test(tag))) inlines.push(node);
    else endSummary();
    if (OPENING.test(tag)) begin(node);
    if (CLOSING.test(tag)) close();
    if (SUMMARY.test(tag)) isInSummary = true;
  }
  // A summary may still grow.
  endSummary();
}

function addParagraph(add: (block: RootContent) => void, children: PhrasingContent[]): void {
  const [first, last] = [children[0]?.position, children.at(-1)?.position];
  if (first && last) add({ type: 'paragraph', children, position: { start: first.start, end: last.end } });
}

function withoutOuterSpace(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const isSpace = (node: PhrasingContent | undefined) => node?.type === 'text' && node.value.trim() === '';
  const kept = [...nodes];
  while (isSpace(kept[0])) kept.shift();
  while (isSpace(kept.at(-1))) kept.pop();
  return kept;
}
