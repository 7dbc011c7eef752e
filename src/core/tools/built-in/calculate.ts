import { Decimal } from 'decimal.js';
import jsep from 'jsep';
import { ToolError } from '../tool.ts';

/** Digits of a result. Calculations keep more, so that results that are round on paper are round here. */
const SHOWN_DIGITS = 50;
/**
 * Its own exponents are unlimited: the series of decimal.js do not end where one of their terms underflows. `evaluate`
 * limits those of operands and results.
 */
const Exact = Decimal.clone({ precision: 64, toExpNeg: -20, toExpPos: SHOWN_DIGITS });
/** Maximum decimal exponent of operands and results, positive or negative: the remainder of far ones takes long. */
const MAX_EXPONENT = 1000;
/** The sine of a huge number needs as many digits of pi as the number has. */
const MAX_ANGLE = new Exact('1e15');
/** The largest whole number whose factorial stays within the exponents. */
const MAX_FACTORIAL = 450;

/**
 * Evaluates an arithmetic expression. It is parsed, never executed: only the operators and functions below exist.
 * @throws ToolError with a message for the model.
 */
export function calculate(expression: string): string {
  return evaluate(parse(toPlainSpelling(expression)))
    .toSignificantDigits(SHOWN_DIGITS)
    .toString();
}

/** Evaluates a part of an expression. @throws ToolError if its value is not a number within the exponents. */
function evaluate(node: jsep.Expression): Decimal {
  const value = evaluateNode(node);
  if (value.isNaN()) throw new ToolError('the result is not a real number');
  if (!value.isFinite() || value.e > MAX_EXPONENT)
    throw new ToolError(`the result is not finite: a division by zero, or larger than 10^${MAX_EXPONENT}`);
  if (value.e < -MAX_EXPONENT) throw new ToolError(`the result is not zero, but smaller than 10^-${MAX_EXPONENT}`);
  return value;
}

/**
 * Converts `×`, `÷` and the like to ASCII, and powers to jsep's operator. `(-2)^2` becomes `(0-2)**2`, because jsep
 * drops brackets and would not distinguish it from `-2^2`.
 */
function toPlainSpelling(expression: string): string {
  return expression
    .replace(/[×·]/g, '*')
    .replace(/÷/g, '/')
    .replace(/−/g, '-')
    .replace(/\^/g, '**')
    .replace(/π/g, 'pi')
    .replace(/\(\s*-/g, '(0-');
}

function parse(expression: string): jsep.Expression {
  try {
    return jsep(expression);
  } catch (error) {
    throw new ToolError(`the expression can't be read: ${error instanceof Error ? error.message : 'it is malformed'}`);
  }
}

const BINARY: Readonly<Record<string, (left: Decimal, right: Decimal) => Decimal>> = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
  '*': (left, right) => left.times(right),
  '/': (left, right) => left.dividedBy(right),
  '%': (left, right) => left.modulo(right),
  '**': (left, right) => left.toPower(right),
  '<': (left, right) => toNumber(left.lessThan(right)),
  '>': (left, right) => toNumber(left.greaterThan(right)),
  '<=': (left, right) => toNumber(left.lessThanOrEqualTo(right)),
  '>=': (left, right) => toNumber(left.greaterThanOrEqualTo(right)),
  '==': (left, right) => toNumber(left.equals(right)),
  '!=': (left, right) => toNumber(!left.equals(right)),
};

const ofOne = (work: (value: Decimal) => Decimal) => ({ min: 1, max: 1, work });
const ofAngle = (work: (value: Decimal) => Decimal) =>
  ofOne((value) => {
    if (value.abs().greaterThan(MAX_ANGLE)) throw new ToolError('the angle is too large');
    return work(value);
  });
const ofMany = (work: (...values: Decimal[]) => Decimal) => ({ min: 1, max: 100, work });

const FUNCTIONS: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly work: (...values: Decimal[]) => Decimal }>
> = {
  sqrt: ofOne((value) => value.squareRoot()),
  cbrt: ofOne((value) => value.cubeRoot()),
  abs: ofOne((value) => value.abs()),
  floor: ofOne((value) => value.floor()),
  ceil: ofOne((value) => value.ceil()),
  round: { min: 1, max: 2, work: (value, digits) => round(value ?? new Exact(0), digits) },
  ln: ofOne((value) => value.ln()),
  log: ofOne((value) => value.ln()),
  log10: ofOne((value) => value.log(10)),
  log2: ofOne((value) => value.log(2)),
  exp: ofOne((value) => value.exp()),
  sin: ofAngle((value) => value.sin()),
  cos: ofAngle((value) => value.cos()),
  tan: ofAngle((value) => value.tan()),
  asin: ofOne((value) => value.asin()),
  acos: ofOne((value) => value.acos()),
  atan: ofOne((value) => value.atan()),
  factorial: ofOne(factorial),
  min: ofMany((...values) => Exact.min(...values)),
  max: ofMany((...values) => Exact.max(...values)),
};

const CONSTANTS: Readonly<Record<string, Decimal>> = { pi: Exact.acos(-1), e: Exact.exp(1) };

function evaluateNode(node: jsep.Expression): Decimal {
  // jsep's nodes are distinguished by `type`, but its types leave the fields open.
  const expression = node as jsep.CoreExpression;
  switch (expression.type) {
    case 'Literal': {
      if (typeof expression.value !== 'number') break;
      // Uses the digits as written: a JavaScript number has only 16.
      return toDecimal(expression.raw);
    }
    case 'Identifier': {
      const constant = Object.hasOwn(CONSTANTS, expression.name) ? CONSTANTS[expression.name] : undefined;
      if (!constant) throw new ToolError(`'${expression.name}' is unknown; only pi and e have names`);
      return constant;
    }
    case 'UnaryExpression': {
      const value = evaluate(expression.argument);
      if (expression.operator === '-') return value.negated();
      if (expression.operator === '+') return value;
      break;
    }
    case 'BinaryExpression': {
      const { operator, left, right } = expression;
      // In mathematics a power binds tighter than the sign before it; in jsep the sign is part of the number.
      const isSigned = operator === '**' && left.type === 'UnaryExpression' && left['operator'] === '-';
      if (isSigned) return evaluate({ ...expression, left: left['argument'] as jsep.Expression }).negated();
      const work = Object.hasOwn(BINARY, operator) ? BINARY[operator] : undefined;
      if (work) return work(evaluate(left), evaluate(right));
      break;
    }
    case 'CallExpression':
      return call(expression);
  }
  throw new ToolError(
    'it may only hold numbers, operators, and the functions and constants that are named in the description',
  );
}

function call({ callee, arguments: given }: jsep.CallExpression): Decimal {
  const name = callee.type === 'Identifier' && typeof callee['name'] === 'string' ? callee['name'] : '';
  const definition = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!definition) throw new ToolError(`there is no function '${name}'`);
  if (given.length < definition.min || given.length > definition.max)
    throw new ToolError(`'${name}' has the wrong number of arguments`);
  return definition.work(...given.map(evaluate));
}

function toDecimal(raw: string): Decimal {
  try {
    return new Exact(raw);
  } catch {
    throw new ToolError(`'${raw}' is not a number`);
  }
}

function toNumber(isTrue: boolean): Decimal {
  return new Exact(isTrue ? 1 : 0);
}

function round(value: Decimal, digits: Decimal | undefined): Decimal {
  const decimalPlaces = digits?.toNumber() ?? 0;
  if (!Number.isInteger(decimalPlaces) || decimalPlaces < 0 || decimalPlaces > 30)
    throw new ToolError('round takes 0 to 30 digits');
  return value.toDecimalPlaces(decimalPlaces, Decimal.ROUND_HALF_UP);
}

function factorial(value: Decimal): Decimal {
  if (!value.isInteger() || value.isNegative() || value.greaterThan(MAX_FACTORIAL))
    throw new ToolError(`factorial takes whole numbers from 0 to ${MAX_FACTORIAL}`);
  let product = new Exact(1);
  for (let factor = 2; factor <= value.toNumber(); factor += 1) product = product.times(factor);
  return product;
}
