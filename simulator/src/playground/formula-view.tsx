import katex from 'katex';
import type { VNode } from 'preact';

/** Longer formulas are shown as LaTeX: the time to read one can grow with the square of its length. */
const MAX_LENGTH = 2000;

/**
 * Alphabets that browsers do not draw by `mathvariant`: the code point of the letter A, a to z follow Z, and the letters
 * that Unicode had before it had the whole alphabet.
 */
const ALPHABETS: { readonly [variant: string]: { readonly start: number; readonly earlier: string } } = {
  'double-struck': { start: 0x1d538, earlier: 'ℂℍℕℙℚℝℤ' },
  script: { start: 0x1d49c, earlier: 'ℬℰℱℋℐℒℳℛℯℊℴ' },
  fraktur: { start: 0x1d504, earlier: 'ℭℌℑℜℨ' },
};

/**
 * A LaTeX formula as MathML, which browsers draw themselves. What is not understood is shown as it was written.
 * @param source LaTeX without dollar signs
 * @param isBlock centred on its own line
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

/** What the element `math` of a formula holds, or undefined where KaTeX can not read it. */
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
    // The content security policy refuses styles in markup.
    return inside?.replaceAll(/ style="[^"]*"/g, '').replaceAll(/ mathvariant="([^"]+)">([^<]+)/g, toAlphabet);
  } catch {
    // All but errors of the source, such as a stack that overflows.
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
