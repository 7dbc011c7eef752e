import { z } from 'zod';
import { QueueFullError, WorkQueue } from '../../../lib/async/work-queue.ts';
import { systemClock } from '../../../lib/clock.ts';
import { toChildModule } from '../../../lib/layout.ts';
import { createProcessPool } from '../../../lib/process/process-pool.ts';
import { ProcessError } from '../../../lib/process/run-in-process.ts';
import { type Tool, ToolError } from '../tool.ts';

const MAX_EXPRESSION_LENGTH = 1000;
/** Includes the start of a process on a busy machine; a calculation takes up to 50 ms. */
const TIMEOUT_MS = 10_000;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** A model asks for one after the other, so a process is usually there. */
const IDLE_MS = 30_000;
const MAX_TASKS = 1000;
const PROGRAM = { module: toChildModule('core/tools/built-in/calculating-process') };

const calculationResult = z.union([z.object({ result: z.string() }), z.object({ problem: z.string() })]);

/** Result of the child process that calculates. `problem` is for the model. */
export type CalculationResult = z.infer<typeof calculationResult>;

/**
 * Creates the tool that evaluates arithmetic expressions exactly, in a child process that is ended when one takes too
 * long.
 */
export function createCalculatorTool(): Tool {
  const queue = new WorkQueue<number>({ total: 2, perOwner: 1, maxWaiting: 100, maxWaitingPerOwner: 20 });
  const runInPool = createProcessPool(PROGRAM, {
    // CPU time is limited, so the real clock is used.
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    maxTasks: MAX_TASKS,
    idleMs: IDLE_MS,
  });
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
    isComputedHere: true,
    describeCall: ({ expression }) => (typeof expression === 'string' ? expression : undefined),
    async run({ expression }, { userId, signal }) {
      if (typeof expression !== 'string' || expression.trim() === '') throw new ToolError('the expression is missing');
      if (expression.length > MAX_EXPRESSION_LENGTH)
        throw new ToolError(`the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`);
      const task = () => runInPool(expression, signal);
      const answer = await queue.run(task, { owner: userId, signal }).catch((error: unknown) => {
        throw toToolError(error);
      });
      const calculated = calculationResult.parse(answer);
      if ('problem' in calculated) throw new ToolError(calculated.problem);
      return `${expression.trim()} = ${calculated.result}`;
    },
  };
}

function toToolError(error: unknown): unknown {
  if (error instanceof QueueFullError) return new ToolError('too much is being calculated right now');
  if (!(error instanceof ProcessError)) return error;
  const message = error.problem === 'too-slow' ? 'the calculation took too long' : 'the calculation was ended';
  return new ToolError(message, { cause: error });
}
