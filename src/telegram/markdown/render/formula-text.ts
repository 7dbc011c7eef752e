import {
  ACCENTS,
  LETTER_STYLES,
  SILENT_COMMANDS,
  SUBSCRIPTS,
  SUPERSCRIPTS,
  SYMBOLS,
  TRANSPARENT_COMMANDS,
} from './latex-symbols.ts';

/** State of the formula parser. `isKnown` becomes false at the first unsupported construct. */
interface Reader {
  readonly latex: string;
  position: number;
  depth: number;
  isKnown: boolean;
}

const MAX_DEPTH = 24;
const MATRICES = /^(?:[pbvBV]?matrix|smallmatrix|array|cases|aligned|align\*?|gathered|gather\*?|split|equation\*?)$/;
const FENCED_MATRICES: { readonly [name: string]: readonly [string, string] } = {
  pmatrix: ['(', ')'],
  bmatrix: ['[', ']'],
  vmatrix: ['|', '|'],
  Bmatrix: ['{', '}'],
  Vmatrix: ['‖', '‖'],
};

/**
 * Converts a LaTeX formula to readable Unicode (`x^2 \leq \frac{a}{b}` becomes `x² ≤ a⁄b`). Returns undefined if it
 * contains unsupported commands; then its source should be shown.
 */
export function toFormulaText(latex: string): string | undefined {
  const reader: Reader = { latex: latex.trim(), position: 0, depth: 0, isKnown: true };
  const text = readUntil(reader, undefined);
  if (!reader.isKnown || reader.position < reader.latex.length) return undefined;
  const tidy = text
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, (spaces) => (spaces.length > 3 ? '   ' : ' ')))
    .filter((line) => line !== '')
    .join('\n');
  return tidy === '' ? undefined : tidy;
}

/** Converts text to superscript if Unicode has all of its characters, else to `^x` or `^(x + 1)`. */
export function toSuperscript(text: string): string {
  return toScript(text, SUPERSCRIPTS, '^');
}

/** Converts text to subscript if Unicode has all of its characters, else to `_x` or `_(x + 1)`. */
export function toSubscript(text: string): string {
  return toScript(text, SUBSCRIPTS, '_');
}

function toScript(text: string, alphabet: ReadonlyMap<string, string>, sign: string): string {
  const compact = text.replace(/ /g, '');
  const characters = [...compact].map((character) => alphabet.get(character));
  if (characters.every((character) => character !== undefined)) return characters.join('');
  return [...compact].length === 1 ? sign + compact : `${sign}(${text.trim()})`;
}

/** Reads up to, but not including, the closing brace, bracket or `\end` given by `end`. */
function readUntil(reader: Reader, end: string | undefined): string {
  let text = '';
  if (++reader.depth > MAX_DEPTH) reader.isKnown = false;
  while (reader.isKnown && reader.position < reader.latex.length) {
    if (end !== undefined && reader.latex.startsWith(end, reader.position)) break;
    const sign = reader.latex[reader.position] ?? '';
    if (sign === '}') {
      reader.isKnown = false;
    } else if (sign === '^' || sign === '_') {
      reader.position++;
      const script = readAtom(reader).trim();
      text = text.trimEnd() + (sign === '^' ? toSuperscript(script) : toSubscript(script));
    } else text += readAtom(reader);
  }
  reader.depth--;
  return text;
}

/** Reads one atom: a group, a command with its arguments, or a character. */
function readAtom(reader: Reader): string {
  while (reader.latex[reader.position] === ' ' && /[\^_]/.test(reader.latex[reader.position - 1] ?? ''))
    reader.position++;
  const sign = String.fromCodePoint(reader.latex.codePointAt(reader.position) ?? 32);
  if (sign === '{') return readGroup(reader, '{', '}');
  if (sign === '\\') return readCommand(reader);
  reader.position += sign.length;
  if (sign === '\n' || sign === '~') return ' ';
  if (sign === '&') return ' ';
  if (sign === '-') return '−';
  return sign === "'" ? '′' : sign;
}

function readGroup(reader: Reader, opening: string, closing: string): string {
  reader.position += opening.length;
  const text = readUntil(reader, closing);
  if (!reader.latex.startsWith(closing, reader.position)) reader.isKnown = false;
  reader.position += closing.length;
  return text;
}

function readArgument(reader: Reader): string {
  while (/\s/.test(reader.latex[reader.position] ?? '')) reader.position++;
  if (reader.position >= reader.latex.length) reader.isKnown = false;
  return reader.isKnown ? readAtom(reader).trim() : '';
}

function readCommand(reader: Reader): string {
  const name = /^\\([a-zA-Z]+\*?|[\s\S]?)/.exec(reader.latex.slice(reader.position, reader.position + 40))?.[1] ?? '';
  reader.position += 1 + name.length;
  if (!/^[a-zA-Z]/.test(name)) return readSign(name);
  const symbol = SYMBOLS.get(name);
  if (symbol !== undefined) return symbol + spaceAfterWord(reader, symbol);
  if (SILENT_COMMANDS.has(name)) return readSilent(reader, name);
  const plainName = name.replace('*', '');
  if (TRANSPARENT_COMMANDS.has(plainName))
    return plainName.startsWith('text') ? readText(reader) : readArgument(reader);
  const accent = ACCENTS.get(name);
  if (accent !== undefined) return putAccent(readArgument(reader), accent);
  const letters = LETTER_STYLES.get(name);
  if (letters) return [...readArgument(reader)].map((letter) => letters.get(letter) ?? letter).join('');
  return readStructure(reader, plainName);
}

function readSign(name: string): string {
  if (name === '\\') return '\n';
  if (name === '!' || name === '') return '';
  if (/[,:;> \n]/.test(name)) return ' ';
  return name === '|' ? '‖' : name;
}

/** Returns the space after a function name: `\sin x` needs it, `\sin(x)` and `\alpha x` don't. */
function spaceAfterWord(reader: Reader, symbol: string): string {
  return /[a-z]{2}$/.test(symbol) && /^\s*[\p{L}\d\\]/u.test(reader.latex.slice(reader.position, reader.position + 8))
    ? ' '
    : '';
}

function readSilent(reader: Reader, name: string): string {
  // `\left.` and `\right.` have an empty delimiter.
  if (/^(?:left|right)$/.test(name) && reader.latex[reader.position] === '.') reader.position++;
  return '';
}

/** Reads the argument of `\text`. Words and spaces are kept; formulas in it are not parsed. */
function readText(reader: Reader): string {
  const text = /^\s*\{([^{}]*)\}/.exec(reader.latex.slice(reader.position));
  if (!text) return readArgument(reader);
  reader.position += text[0].length;
  return (text[1] ?? '').replace(/\\([%$&#_])/g, '$1');
}

function putAccent(text: string, accent: string): string {
  return [...text].length > 1 && !/[\u0305\u0332]/.test(accent)
    ? `${text}${accent}`
    : [...text]
        .map((letter) => letter + accent)
        .join('')
        .normalize('NFC');
}

function readStructure(reader: Reader, name: string): string {
  switch (name) {
    case 'frac':
    case 'dfrac':
    case 'tfrac':
    case 'cfrac':
      return toFraction(readArgument(reader), readArgument(reader));
    case 'sqrt':
      return readRoot(reader);
    case 'binom':
    case 'dbinom':
      return `C(${readArgument(reader)}, ${readArgument(reader)})`;
    case 'pmod':
      return ` (mod ${readArgument(reader)})`;
    case 'tag':
      return `   (${readArgument(reader)})`;
    case 'label':
      readArgument(reader);
      return '';
    case 'not':
      return `${readArgument(reader)}\u0338 `;
    case 'overset':
    case 'stackrel':
      return readOverset(reader);
    case 'begin':
      return readEnvironment(reader);
    default:
      reader.isKnown = false;
      return '';
  }
}

function toFraction(over: string, under: string): string {
  if (/^[\p{L}\d]$/u.test(over) && /^[\p{L}\d]$/u.test(under)) return `${over}⁄${under}`;
  const isProduct = /^[\p{L}\p{M}\d.²³⁴⁵⁶⁷⁸⁹ⁿ₀-₉√]+$/u.test(over);
  const isFactor = /^(?:\d[\d.]*|√?\p{L}[\p{M}²³⁴⁵⁶⁷⁸⁹ⁿ₀-₉]*)$/u.test(under);
  const left = isProduct ? over : inParentheses(over);
  if (!isFactor) return `${left}/${inParentheses(under)}`;
  // Telegram takes `/2` for a command unless it follows a word character.
  return `${left}${/\w$/.test(left) ? '/' : '⁄'}${under}`;
}

function inParentheses(text: string): string {
  return /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}

function readRoot(reader: Reader): string {
  const degree = reader.latex[reader.position] === '[' ? readGroup(reader, '[', ']').trim() : '';
  const content = readArgument(reader);
  const sign =
    degree === '' || degree === '2' ? '√' : degree === '3' ? '∛' : degree === '4' ? '∜' : `${toSuperscript(degree)}√`;
  return sign + (/^[\p{L}\d]+$/u.test(content) ? content : `(${content})`);
}

function readOverset(reader: Reader): string {
  const over = readArgument(reader);
  const base = readArgument(reader);
  return ` ${base}${toSuperscript(over)} `;
}

function readEnvironment(reader: Reader): string {
  const name = readText(reader);
  if (!MATRICES.test(name)) reader.isKnown = false;
  if (name === 'array') readText(reader);
  const end = `\\end{${name}}`;
  const content = readUntil(reader, end);
  if (!reader.latex.startsWith(end, reader.position)) reader.isKnown = false;
  reader.position += end.length;
  const rows = content
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '');
  const brackets = FENCED_MATRICES[name];
  if (brackets) return `${brackets[0]}${rows.map((row) => row.replace(/\s+/g, ' ')).join('; ')}${brackets[1]}`;
  return name === 'cases' ? `{ ${rows.join('\n  ')}\n` : rows.join('\n');
}
