import { h } from './dom.ts';
import { ACCENTS, FUNCTIONS, LARGE, LETTERS, OPERATORS, SPACES } from './formula-symbols.ts';

const MATHML = 'http://www.w3.org/1998/Math/MathML';
const MAX_DEPTH = 40;
const FENCES = {
  pmatrix: ['(', ')'],
  bmatrix: ['[', ']'],
  Bmatrix: ['{', '}'],
  vmatrix: ['|', '|'],
  cases: ['{', ''],
} as Record<string, [string, string]>;
const VARIANTS = { mathbb: 0x1d538, mathcal: 0x1d49c, mathfrak: 0x1d504 } as Record<string, number>;
/** Letters that Unicode had before it had their whole alphabet. */
const EXCEPTIONS = new Map(
  Object.entries({ mathbbC: 'ℂ', mathbbH: 'ℍ', mathbbN: 'ℕ', mathbbP: 'ℙ', mathbbQ: 'ℚ', mathbbR: 'ℝ', mathbbZ: 'ℤ' }),
);

/**
 * A LaTeX formula as MathML, which browsers draw themselves. What is not understood is shown as it was written.
 * @param source LaTeX without dollar signs
 * @param isBlock centred on its own line
 */
export function renderFormula(source: string, isBlock: boolean): Element {
  const math = m('math', isBlock ? { display: 'block' } : {});
  try {
    const parser = { tokens: tokenize(source), place: 0, depth: 0 };
    const row = m('mrow', {}, ...parseUntil(parser, []));
    math.append(row);
  } catch {
    return h('code', { class: 'formula-source' }, source);
  }
  math.setAttribute('aria-label', source);
  return h(isBlock ? 'div' : 'span', { class: `formula${isBlock ? ' formula-block' : ''}`, title: source }, math);
}

function m(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]) {
  const element = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const tokenize = (source: string) => source.match(/\\[a-zA-Z]+\*?|\\[\s\S]|\d+(?:\.\d+)?|[^\s]|\s+/g) ?? [];

type Parser = { tokens: string[]; place: number; depth: number };

/** @param ends tokens that end the row; the end is left unread */
function parseUntil(parser: Parser, ends: string[]) {
  const row: Element[] = [];
  if (++parser.depth > MAX_DEPTH) throw new Error('nested too deeply');
  for (let token = parser.tokens[parser.place]; token !== undefined; token = parser.tokens[parser.place]) {
    if (ends.includes(token)) break;
    if (token.trim() === '') parser.place += 1;
    else row.push(parseScripted(parser));
  }
  parser.depth -= 1;
  return row;
}

/** One thing with its subscript and superscript. */
function parseScripted(parser: Parser): Element {
  const isLarge = (parser.tokens[parser.place] ?? '').slice(1) in LARGE;
  const base = parseOne(parser);
  let below: Element | undefined;
  let above: Element | undefined;
  for (;;) {
    const next = parser.tokens[parser.place];
    if (next !== '_' && next !== '^' && next !== "'") break;
    parser.place += 1;
    if (next === '_') below = parseOne(parser);
    else above = next === "'" ? m('mo', {}, '′') : parseOne(parser);
  }
  if (below && above) return m(isLarge ? 'munderover' : 'msubsup', {}, base, below, above);
  if (below) return m(isLarge ? 'munder' : 'msub', {}, base, below);
  if (above) return m(isLarge ? 'mover' : 'msup', {}, base, above);
  return base;
}

function parseOne(parser: Parser): Element {
  while (parser.tokens[parser.place]?.trim() === '') parser.place += 1;
  const token = parser.tokens[parser.place++];
  if (token === undefined) return m('mrow', {});
  if (token === '{') return parseGroup(parser);
  if (token.startsWith('\\')) return parseCommand(parser, token.slice(1).replace(/\*$/, ''));
  if (/^\d/.test(token)) return m('mn', {}, token);
  if (/^\p{L}$/u.test(token)) return m('mi', {}, token);
  return m('mo', {}, token === '-' ? '−' : token);
}

function parseGroup(parser: Parser) {
  const row = parseUntil(parser, ['}']);
  parser.place += 1;
  return m('mrow', {}, ...row);
}

function parseCommand(parser: Parser, name: string): Element {
  if (name in LETTERS) return m('mi', {}, LETTERS[name] ?? '');
  if (name in OPERATORS) return m('mo', {}, OPERATORS[name] ?? '');
  if (name in LARGE)
    return m(
      'mo',
      { movablelimits: 'false', largeop: /^[a-z ]+$/.test(LARGE[name] ?? '') ? 'false' : 'true' },
      LARGE[name] ?? '',
    );
  if (FUNCTIONS.has(name)) return m('mi', { mathvariant: 'normal' }, name);
  if (name in SPACES) return m('mspace', { width: SPACES[name] ?? '0' });
  if (name in ACCENTS) return m('mover', { accent: 'true' }, parseOne(parser), m('mo', {}, ACCENTS[name] ?? ''));
  if (name in VARIANTS) return renderVariant(name, readRaw(parser));
  switch (name) {
    case 'frac':
    case 'dfrac':
    case 'tfrac':
      return m('mfrac', {}, parseOne(parser), parseOne(parser));
    case 'binom':
      return fenced('(', m('mfrac', { linethickness: '0' }, parseOne(parser), parseOne(parser)), ')');
    case 'sqrt':
      return parseRoot(parser);
    case 'text':
    case 'mathrm':
    case 'operatorname':
    case 'textbf':
      return m('mtext', {}, readRaw(parser));
    case 'mathbf':
    case 'boldsymbol':
    case 'mathit':
    case 'displaystyle':
      return parseOne(parser);
    case 'left':
      return parseFenced(parser);
    case 'begin':
      return parseEnvironment(parser);
    default:
      return m('mtext', {}, /^[%#$&_]$/.test(name) ? name : `\\${name}`);
  }
}

/** The text of a group, unparsed. */
function readRaw(parser: Parser) {
  while (parser.tokens[parser.place]?.trim() === '') parser.place += 1;
  if (parser.tokens[parser.place] !== '{') return parser.tokens[parser.place++] ?? '';
  let text = '';
  let open = 0;
  for (let token = parser.tokens[parser.place++]; token !== undefined; token = parser.tokens[parser.place++]) {
    if (token === '}' && --open === 0) break;
    if (open > 0) text += token;
    if (token === '{') open += 1;
  }
  return text;
}

function renderVariant(name: string, text: string) {
  const first = VARIANTS[name] ?? 0;
  const letters = [...text].map((letter) => {
    const exception = EXCEPTIONS.get(name + letter);
    if (exception) return exception;
    return /^[A-Z]$/.test(letter) ? String.fromCodePoint(first + letter.charCodeAt(0) - 65) : letter;
  });
  return m('mi', { mathvariant: 'normal' }, letters.join(''));
}

function parseRoot(parser: Parser) {
  if (parser.tokens[parser.place] !== '[') return m('msqrt', {}, parseOne(parser));
  parser.place += 1;
  const degree = m('mrow', {}, ...parseUntil(parser, [']']));
  parser.place += 1;
  return m('mroot', {}, parseOne(parser), degree);
}

function fenced(open: string, inside: Element, close: string) {
  const fence = (text: string) => m('mo', { stretchy: 'true', fence: 'true' }, text);
  return m('mrow', {}, ...(open ? [fence(open)] : []), inside, ...(close ? [fence(close)] : []));
}

function parseFenced(parser: Parser) {
  const open = readFence(parser);
  const row = parseUntil(parser, ['\\right']);
  parser.place += 1;
  return fenced(open, m('mrow', {}, ...row), readFence(parser));
}

function readFence(parser: Parser) {
  const token = parser.tokens[parser.place++] ?? '.';
  if (token === '.') return '';
  return token.startsWith('\\') ? (OPERATORS[token.slice(1)] ?? token.slice(1)) : token;
}

function parseEnvironment(parser: Parser) {
  const name = readRaw(parser).replace('*', '');
  const rows: Element[][] = [[]];
  for (;;) {
    const cell = m('mtd', {}, ...parseUntil(parser, ['&', '\\\\', '\\end']));
    rows[rows.length - 1]?.push(cell);
    const end = parser.tokens[parser.place++];
    if (end === '\\\\') rows.push([]);
    else if (end !== '&') break;
  }
  readRaw(parser);
  const filled = rows.filter((cells) => cells.length > 1 || cells[0]?.hasChildNodes());
  const isAligned = /^(aligned?|split|gather(ed)?|cases)$/.test(name);
  const table = m(
    'mtable',
    isAligned ? { class: 'formula-aligned' } : {},
    ...filled.map((cells) => m('mtr', {}, ...cells)),
  );
  const [open, close] = FENCES[name] ?? ['', ''];
  return fenced(open, table, close);
}
