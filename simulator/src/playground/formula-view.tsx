import katex from 'katex';
import type { VNode } from 'preact';

/** Longer formulas are displayed as LaTeX source, because parsing can take time quadratic in the length. */
const MAX_LENGTH = 2000;

/**
 * Alphabets that browsers do not render by `mathvariant`: the code point of the letter A (a to z follow Z), and the
 * letters that Unicode encodes elsewhere.
 */
const ALPHABETS: { readonly [variant: string]: { readonly start: number; readonly earlier: string } } = {
  'double-struck': { start: 0x1d538, earlier: 'ℂℍℕℙℚℝℤ' },
  script: { start: 0x1d49c, earlier: 'ℬℰℱℋℐℒℳℛℯℊℴ' },
  fraktur: { start: 0x1d504, earlier: 'ℭℌℑℜℨ' },
};

/**
 * Renders a LaTeX formula as MathML. A formula that can't be parsed is displayed as its source.
 * @param source LaTeX without dollar signs
 * @param isBlock centred on a separate line
 */
export function renderFormula(source: string, isBlock: boolean): VNode {
  const math = toMathMl(source, isBlock);
  if (math === undefined) return <code class="formula-source">{source}</code>;
  const Box = isBlock ? 'div' : 'span';
  return (
    <Box class={`formula${isBlock ? ' formula-block' : ''}`} title={source}>
      <math display={isBlock ? 'block' : 'inline'} aria-label={source} dangerouslySetInnerHTML={{ __html: math }} />
    </Box>
  );
}

/** Returns the content of the `math` element; undefined if KaTeX can't parse the formula. */
function toMathMl(source: string, isBlock: boolean): string | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  try {
    const markup = katex.renderToString(source, {
      output: 'mathml',
      displayMode: isBlock,
      throwOnError: false,
      errorColor: 'currentcolor',
      strict: 'ignore',
      trust: false,
      maxExpand: 100,
      maxSize: 10,
    });
    const inside = /<math[^>]*>(.*)<\/math>/s.exec(markup)?.[1];
    // The content security policy forbids inline styles.
    return inside?.replaceAll(/ style="[^"]*"/g, '').replaceAll(/ mathvariant="([^"]+)">([^<]+)/g, toAlphabet);
  } catch {
    // KaTeX also throws for other errors, such as a stack overflow.
    return undefined;
  }
}

function toAlphabet(match: string, variant: string, text: string): string {
  const alphabet = ALPHABETS[variant];
  if (!alphabet) return match;
  const letters = text.replaceAll(/[A-Za-z]/g, (letter) => {
    const place = letter.charCodeAt(0) - (letter < 'a' ? 65 : 71);
    const earlier = [...alphabet.earlier].find((known) => known.normalize('NFKC') === letter);
    return earlier ?? String.fromCodePoint(alphabet.start + place);
  });
  return ` mathvariant="normal">${letters}`;
}
