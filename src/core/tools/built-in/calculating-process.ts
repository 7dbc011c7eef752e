import { answerParent } from '../../../lib/process/answer-parent.ts';
import { ToolError } from '../tool.ts';
import { calculate } from './calculate.ts';
import type { CalculationResult } from './calculator-tool.ts';

async function calculateSafely(expression: string): Promise<CalculationResult> {
  try {
    return { result: calculate(expression) };
  } catch (error) {
    if (error instanceof ToolError) return { problem: error.message };
    throw error;
  }
}

// Sent by the calculator tool.
await answerParent((expression) => calculateSafely(expression as string));
