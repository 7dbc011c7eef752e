import type { Definition, Nodes, Parents, Root, TableRow } from 'mdast';
import { type ComponentChildren, h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ScrollArea } from '../../../ui/scroll-area.tsx';

type Parse = (source: string) => Root | undefined;

/** Parser, which is loaded with the first answer, because it is a third as large as the whole console. */
let loadedParser: Parse | undefined;

/** Markdown of a model. HTML in it is shown as text, and images as links. */
export function Markdown({ source }: { readonly source: string }) {
  const parse = useParser();
  const content = useMemo(() => {
    const root = parse?.(source);
    return root && toView(root, findDefinitions(root));
  }, [parse, source]);
  return content === undefined ? <p class="text">{source}</p> : <div class="markdown">{content}</div>;
}

/** Returns the parser; undefined until it is loaded, or if it could not be. */
function useParser(): Parse | undefined {
  const [parser, setParser] = useState(() => loadedParser);
  useEffect(() => {
    if (loadedParser) return;
    import('./parse-markdown.ts').then(
      ({ parseMarkdown }) => {
        loadedParser = parseMarkdown;
        setParser(() => parseMarkdown);
      },
      () => undefined,
    );
  }, []);
  return parser;
}

/** Addresses of reference links, by their identifiers. */
type Definitions = ReadonlyMap<string, string>;

function findDefinitions(root: Root): Definitions {
  const definitions = root.children.filter((node): node is Definition => node.type === 'definition');
  return new Map(definitions.map(({ identifier, url }) => [identifier, url]));
}

/** Elements of the nodes that have no properties. */
const ELEMENTS = {
  paragraph: 'p',
  blockquote: 'blockquote',
  emphasis: 'em',
  strong: 'strong',
  delete: 'del',
  tableCell: 'td',
} as const;
/** The page and its cards have headings of the first two levels. */
const OUTER_HEADINGS = 2;
const MAX_HEADING = 6;

function toView(node: Nodes, definitions: Definitions): ComponentChildren {
  const inside = (parent: Parents) => parent.children.map((child) => toView(child, definitions));
  switch (node.type) {
    case 'paragraph':
    case 'blockquote':
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'tableCell':
      return h(ELEMENTS[node.type], null, inside(node));
    case 'text':
    case 'html':
      return node.value;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'code':
      return (
        <ScrollArea>
          <pre>
            <code>{node.value}</code>
          </pre>
        </ScrollArea>
      );
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'heading':
      return h(`h${Math.min(MAX_HEADING, node.depth + OUTER_HEADINGS)}`, null, inside(node));
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inside(node)}</ol> : <ul>{inside(node)}</ul>;
    case 'listItem':
      return (
        <li>
          {typeof node.checked === 'boolean' && (node.checked ? '☑ ' : '☐ ')}
          {inside(node)}
        </li>
      );
    case 'table':
      return toTable(node.children, inside);
    case 'link':
      return toLink(node.url, inside(node));
    case 'linkReference':
      return toLink(definitions.get(node.identifier), inside(node));
    case 'image':
      return toLink(node.url, node.alt || node.url);
    case 'imageReference':
      return toLink(definitions.get(node.identifier), node.alt);
    case 'footnoteReference':
      return `[${node.identifier}]`;
    case 'footnoteDefinition':
      return (
        <div>
          [{node.identifier}] {inside(node)}
        </div>
      );
    case 'root':
      return inside(node);
    default:
      return null;
  }
}

function toTable([head, ...rows]: readonly TableRow[], inside: (parent: Parents) => ComponentChildren) {
  return (
    <ScrollArea>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) => (
              <th>{inside(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{inside(row)}</tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

const SAFE_ADDRESS = /^(?:https?:|mailto:|tel:)/i;

function toLink(url: string | undefined, children: ComponentChildren): ComponentChildren {
  if (url === undefined || !SAFE_ADDRESS.test(url)) return children;
  return (
    <a href={url} target="_blank" rel="nofollow noopener noreferrer">
      {children}
    </a>
  );
}
