import { h } from './dom.js';
import { ACCENTS, FUNCTIONS, LARGE, LETTERS, OPERATORS, SPACES } from './formula-symbols.js';

const MATHML = 'http://www.w3.org/1998/Math/MathML';
const MAX_DEPTH = 40;
const FENCES = /** @type {Record<string, [string, string]>} */ ({
  pmatrix: ['(', ')'],
  bmatrix: ['[', ']'],
  Bmatrix: ['{', '}'],
  vmatrix: ['|', '|'],
  cases: ['{', ''],
});
const VARIANTS = /** @type {Record<string, number>} */ ({ mathbb: 0x1d538, mathcal: 0x1d49c, mathfrak: 0x1d504 });
/** Letters that Unicode had before it had their whole alphabet. */
const EXCEPTIONS = new Map(
  Object.entries({ mathbbC: 'ℂ', mathbbH: 'ℍ', mathbbN: 'ℕ', mathbbP: 'ℙ', mathbbQ: 'ℚ', mathbbR: 'ℝ', mathbbZ: 'ℤ' }),
);

/**
 * A LaTeX formula as MathML, which browsers draw themselves. What is not understood is shown as it was written.
 * @param {string} source LaTeX without dollar signs
 * @param {boolean} isBlock centred on its own line
 * @returns {Element}
 */
export function renderFormula(source, isBlock) {
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

/** @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
function m(tag, attributes, ...children) {
  const element = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {string} source */
const tokenize = (source) => source.match(/\\[a-zA-Z]+\*?|\\[\s\S]|\d+(?:\.\d+)?|[^\s]|\s+/g) ?? [];

/** @typedef {{ tokens: string[], place: number, depth: number }} Parser */

/** @param {Parser} parser @param {string[]} ends tokens that end the row; the end is left unread */
function parseUntil(parser, ends) {
  /** @type {Element[]} */
  const row = [];
  if (++parser.depth > MAX_DEPTH) throw new Error('nested too deeply');
  for (let token = parser.tokens[parser.place]; token !== undefined; token = parser.tokens[parser.place]) {
    if (ends.includes(token)) break;
    if (token.trim() === '') parser.place += 1;
    else row.push(parseScripted(parser));
  }
  parser.depth -= 1;
  return row;
}

/** One thing with its subscript and superscript. @param {Parser} parser @returns {Element} */
function parseScripted(parser) {
  const isLarge = (parser.tokens[parser.place] ?? '').slice(1) in LARGE;
  const base = parseOne(parser);
  /** @type {Element | undefined} */ let below;
  /** @type {Element | undefined} */ let above;
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

/** @param {Parser} parser @returns {Element} */
function parseOne(parser) {
  while (parser.tokens[parser.place]?.trim() === '') parser.place += 1;
  const token = parser.tokens[parser.place++];
  if (token === undefined) return m('mrow', {});
  if (token === '{') return parseGroup(parser);
  if (token.startsWith('\\')) return parseCommand(parser, token.slice(1).replace(/\*$/, ''));
  if (/^\d/.test(token)) return m('mn', {}, token);
  if (/^\p{L}$/u.test(token)) return m('mi', {}, token);
  return m('mo', {}, token === '-' ? '−' : token);
}

/** @param {Parser} parser */
function parseGroup(parser) {
  const row = parseUntil(parser, ['}']);
  parser.place += 1;
  return m('mrow', {}, ...row);
}

/** @param {Parser} parser @param {string} name @returns {Element} */
function parseCommand(parser, name) {
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

/** The text of a group, unparsed. @param {Parser} parser */
function readRaw(parser) {
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

/** @param {string} name @param {string} text */
function renderVariant(name, text) {
  const first = VARIANTS[name] ?? 0;
  const letters = [...text].map((letter) => {
    const exception = EXCEPTIONS.get(name + letter);
    if (exception) return exception;
    return /^[A-Z]$/.test(letter) ? String.fromCodePoint(first + letter.charCodeAt(0) - 65) : letter;
  });
  return m('mi', { mathvariant: 'normal' }, letters.join(''));
}

/** @param {Parser} parser */
function parseRoot(parser) {
  if (parser.tokens[parser.place] !== '[') return m('msqrt', {}, parseOne(parser));
  parser.place += 1;
  const degree = m('mrow', {}, ...parseUntil(parser, [']']));
  parser.place += 1;
  return m('mroot', {}, parseOne(parser), degree);
}

/** @param {string} open @param {Element} inside @param {string} close */
function fenced(open, inside, close) {
  const fence = (/** @type {string} */ text) => m('mo', { stretchy: 'true', fence: 'true' }, text);
  return m('mrow', {}, ...(open ? [fence(open)] : []), inside, ...(close ? [fence(close)] : []));
}

/** @param {Parser} parser */
function parseFenced(parser) {
  const open = readFence(parser);
  const row = parseUntil(parser, ['\\right']);
  parser.place += 1;
  return fenced(open, m('mrow', {}, ...row), readFence(parser));
}

/** @param {Parser} parser */
function readFence(parser) {
  const token = parser.tokens[parser.place++] ?? '.';
  if (token === '.') return '';
  return token.startsWith('\\') ? (OPERATORS[token.slice(1)] ?? token.slice(1)) : token;
}

/** @param {Parser} parser */
function parseEnvironment(parser) {
  const name = readRaw(parser).replace('*', '');
  /** @type {Element[][]} */
  const rows = [[]];
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
