/** Part of a regular expression: alternative characters or alternative groups, with the number of repetitions. */
interface PatternPart {
  readonly choices: readonly string[] | readonly (readonly PatternPart[])[];
  readonly min: number;
  readonly max: number;
}

const CANDIDATES = ['a', '1', ' ', '\n', '<', '-', '.', '/', '"', ',', 'я', '\u0001', '\u200b'];
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|k<\w+>|[\s\S])/iy;
const CLASS = /\[\^?(?:\\[\s\S]|[^\\\]])*\]/y;
const GROUP = /\((\?(?::|<?=|<?!|<\w+>))?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,)?(\d*)\})\??/y;

/**
 * Returns a function that generates strings which match a regular expression, or nearly match: anchors are ignored, and
 * the content of a lookaround is treated as text.
 * @param random returns a number from 0 (inclusive) to 1 (exclusive)
 */
export function createPatternSampler({ source, flags }: RegExp, random: () => number): () => string {
  let position = 0;
  const take = (token: RegExp) => {
    token.lastIndex = position;
    const found = token.exec(source);
    if (found) position = token.lastIndex;
    return found;
  };
  const readAlternatives = (): PatternPart[][] => {
    const alternatives: PatternPart[][] = [[]];
    while (position < source.length && source[position] !== ')') {
      if (take(/\|/y)) alternatives.push([]);
      else alternatives.at(-1)?.push(readPart());
    }
    return alternatives;
  };
  const readPart = (): PatternPart => {
    const choices = readChoices();
    const found = take(QUANTIFIER);
    if (!found) return { choices, min: 1, max: 1 };
    const [all, min, comma, max] = found;
    if (min === undefined) return { choices, min: all.startsWith('+') ? 1 : 0, max: all.startsWith('?') ? 1 : 4 };
    return { choices, min: Number(min), max: comma === undefined ? Number(min) : Number(max || Number(min) + 4) };
  };
  const readChoices = (): PatternPart['choices'] => {
    if (take(GROUP)) {
      const alternatives = readAlternatives();
      position += 1;
      return alternatives;
    }
    const token = (take(CLASS) ?? take(ESCAPE))?.[0];
    if (token !== undefined) return listMatches(token, flags);
    const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
    position += character.length;
    return '^$'.includes(character) ? [''] : character === '.' ? ['a', ' '] : [character];
  };
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const sample = (parts: readonly PatternPart[]): string =>
    parts
      .map(({ choices, min, max }) => {
        const count = min + Math.floor(random() * (Math.min(max, min + 3) - min + 1));
        return Array.from({ length: count }, () => {
          const choice = pick<string | readonly PatternPart[]>(choices);
          return choice === undefined || typeof choice === 'string' ? choice : sample(choice);
        }).join('');
      })
      .join('');
  const alternatives = readAlternatives();
  return () => sample(pick(alternatives) ?? []);
}

/** Returns some characters matched by a class or an escape; the empty string for `\b` and similar. */
function listMatches(token: string, flags: string): readonly string[] {
  const own = [...token.slice(1).replaceAll(/\\./gu, '')];
  const matcher = new RegExp(`^${token}$`, flags.replace(/[gy]/g, ''));
  const escaped = /^\\(?:u\{?|x)([\da-f]+)\}?$/i.exec(token)?.[1];
  if (escaped !== undefined) return [String.fromCodePoint(Number.parseInt(escaped, 16))];
  const plain = /^\\([^\w])$/.exec(token)?.[1];
  if (plain !== undefined) return [plain];
  const found = [...new Set([...own, ...CANDIDATES, '\t', '\r'])].filter((character) => matcher.test(character));
  return found.length > 0 ? found.slice(0, 12) : [''];
}
