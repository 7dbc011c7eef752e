import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate } from '../../../../src/core/tools/built-in/calculate.ts';
import { ToolError } from '../../../../src/core/tools/index.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

const MAX_LENGTH = 1000;
const FUNCTIONS =
  'sqrt cbrt abs floor ceil round ln log log10 log2 exp sin cos tan asin acos atan factorial min max'.split(' ');
const OPERATORS = ['+', '-', '*', '/', '%', '^', '<', '>', '<=', '>=', '==', '!='];
/** Processor time of this thread for one expression, with a large margin for a busy machine. */
const MAX_MS = 400;

/** Numbers at the ends of what can be written, and at the bounds inside of the functions. */
const ENDS = [
  ...['0', '1', '2', '0.5', '10', 'pi', 'e', '450', '1000', '1e15', '9.99e14', '1e17', '1e18', '9007199254740993'],
  ...['1e-7', '1e-32', '1e-64', '1e-65', '1e-333', '1e-500', '1e-999', '1e-1000', '9.99e-1000', '1e-1001', '1e-99999'],
  ...['1e64', '1e308', '1e309', '1e500', '1e999', '1e1000', '9.99e1000', '1e1001', '1e99999', '1e-9000000000000000'],
  ...[
    '2302.58',
    '2302.59',
    '0.42',
    `0.${'9'.repeat(80)}`,
    `1.${'0'.repeat(80)}1`,
    '7'.repeat(300),
    '1e9000000000000001',
  ],
];

/** Calculates, and returns what a model gets. @throws errors other than those for the model. */
function calculateTimed(expression: string): string {
  const before = process.threadCpuUsage();
  let result: string;
  try {
    result = calculate(expression);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    result = error.message;
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000, expression).toBeLessThan(MAX_MS);
  expect(result.length, expression).toBeLessThan(300);
  return result;
}

/** Repeats a part as often as an expression may. */
function repeatToEnd(part: string): string {
  return Array.from({ length: Math.floor((MAX_LENGTH + 1) / (part.length + 1)) }, () => part).join('+');
}

describe('calculations end soon', () => {
  it('of every function at the ends of the range', () => {
    for (const name of FUNCTIONS)
      for (const end of ENDS) for (const sign of ['', '-']) calculateTimed(`${name}(${sign}${end})`);
  });

  it.each(OPERATORS)('of %s at the ends of the range', (operator) => {
    for (const left of ENDS)
      for (const right of ENDS) {
        calculateTimed(`${left}${operator}${right}`);
        calculateTimed(`(-${left})${operator}(-${right})`);
      }
  });

  it.each([
    '1e1000%7e-1000',
    '(7e999%3)%1e-999',
    'factorial(449)',
    'tan(9e14)',
    'exp(2300)',
    'asin(1e-999)',
    'atan(1e999)',
    '2.5^999.5',
    '1.0000001^1e10',
    'sin(sin(1))',
  ])('of as much %s as fits', (part) => {
    calculateTimed(repeatToEnd(part));
    calculateTimed(`${'sqrt('.repeat(100)}${part}${')'.repeat(100)}`);
    calculateTimed(repeatToEnd(part).replaceAll('+', '%'));
  });

  it('of any expression', () => {
    const number = fc.oneof(
      fc.constantFrom(...ENDS),
      fc
        .tuple(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -1010, max: 1010 }))
        .map(([mantissa, exponent]) => `${String(mantissa).replace(/e.*$/, '')}e${exponent}`),
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5 },
        number,
        fc.tuple(fc.constantFrom(...FUNCTIONS), tie('expression')).map(([name, value]) => `${name}(${value})`),
        fc
          .tuple(tie('expression'), fc.constantFrom(...OPERATORS), tie('expression'))
          .map(([left, operator, right]) => `(${left})${operator}(${right})`),
        tie('expression').map((value) => `(-${value})`),
      ),
    }));
    fc.assert(
      fc.property(expression, (written) => void calculateTimed(written.slice(0, MAX_LENGTH))),
      { numRuns: countInputs(2000) },
    );
  });
});

describe('values at the ends of the range are right', () => {
  it.each([
    ['atan(1e-999)', '1e-999'],
    ['asin(-1e-999)', '-1e-999'],
    ['sin(1e-1000)', '1e-1000'],
    ['tan(1e-500)', '1e-500'],
    ['atan(1e999) == pi / 2', '1'],
    ['acos(1e-999) == pi / 2', '1'],
    ['exp(1e-999)', '1'],
    ['ln(1e1000) / ln(10)', '1000'],
    ['log10(1e-1000)', '-1000'],
    ['sqrt(1e1000)', '1e+500'],
    ['cbrt(1e-999)', '1e-333'],
    ['1e1000 % 7', '4'],
    ['10^1000', '1e+1000'],
    ['10^-1000', '1e-1000'],
    ['1e1000 * 1e-1000', '1'],
    ['1e-1000 - 1e-1000', '0'],
  ])('%s = %s', (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });
});
