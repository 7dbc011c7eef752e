import { expect, it } from 'vitest';
import { toFormulaText } from '../../../../src/telegram/markdown/render/formula-text.ts';

it.each([
  ['E = mc^2', 'E = mc²'],
  ['a_{ij} x^{n+1} y^{*}', 'aᵢⱼ xⁿ⁺¹ y^*'],
  ['\\frac{1}{2} \\frac{a+b}{2c}', '1⁄2 (a+b)/(2c)'],
  ['\\frac{1 + \\sqrt{5}}{2}', '(1 + √5)⁄2'],
  ['x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}', 'x = (−b ± √(b² − 4ac))/(2a)'],
  ['\\sqrt[3]{x} \\sqrt{x+1}', '∛x √(x+1)'],
  ['\\int_0^\\infty e^{-x}\\,dx', '∫₀^∞ e⁻ˣ dx'],
  ['\\lim_{x \\to 0} \\sin x', 'lim_(x → 0) sin x'],
  ['x \\in \\mathbb{R}, \\mathcal{L}, \\vec{v}, \\hat{n}', 'x ∈ ℝ, ℒ, v⃗, n̂'],
  ['\\text{if } x \\neq 0', 'if x ≠ 0'],
  ['\\left( \\frac{a}{b} \\right)', '( a⁄b )'],
  ['\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', '(1 2; 3 4)'],
  ['\\begin{aligned} a &= b \\\\ &= c \\end{aligned}', 'a = b\n= c'],
  ['50\\%', '50%'],
])('converts %j to text', (latex, text) => {
  expect(toFormulaText(latex)).toBe(text);
});

it.each(['\\unknown{x}', '\\frac{a}{', 'a}', '{'.repeat(50), '\\begin{tikzpicture}\\end{tikzpicture}', ''])(
  'leaves %j unchanged',
  (latex) => {
    expect(toFormulaText(latex)).toBeUndefined();
  },
);
