import { type Tool, ToolError } from '../tool.ts';
import { calculate } from './calculate.ts';

const MAX_EXPRESSION_LENGTH = 1000;

/** Creates the tool that evaluates arithmetic expressions exactly. */
export function createCalculatorTool(): Tool {
  return {
    name: 'calculator',
    description:
      'Works out an arithmetic expression with 50 significant digits. Operators: + - * / % (remainder) ^ (power) and comparisons. ' +
      'Functions: sqrt, cbrt, abs, round(x, digits), floor, ceil, min, max, ln, log10, log2, exp, sin, cos, tan, asin, acos, atan ' +
      '(radians), factorial. Constants: pi, e. Use it for every calculation that is not trivial.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string', description: 'For example (1299.5 * 12 - 80) / 3 or sqrt(2)^10' } },
      required: ['expression'],
    },
    activity: 'calculating',
    isReadOnly: true,
    describeCall: ({ expression }) => (typeof expression === 'string' ? expression : undefined),
    async run({ expression }) {
      if (typeof expression !== 'string' || expression.trim() === '') throw new ToolError('the expression is missing');
      if (expression.length > MAX_EXPRESSION_LENGTH)
        throw new ToolError(`the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`);
      return `${expression.trim()} = ${calculate(expression)}`;
    },
  };
}
