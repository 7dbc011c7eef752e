import type { Clock } from '../../../lib/clock.ts';
import { type ChatOutcome, countDeltaTokens } from '../../models/index.ts';
import type { Tool, ToolLimits } from '../../tools/index.ts';
import { type FindPrice, toTokenCost } from '../metering/cost.ts';

export interface ToolBudgetDeps {
  readonly clock: Clock;
  /** Returns the price of a provider's model. Unset: tokens are limited instead of costs. */
  readonly findPrice?: FindPrice | undefined;
}

export interface ToolBudgetOptions {
  readonly limits: ToolLimits;
  /** Context length of the model in tokens, if known: tool results are cut to fit. */
  readonly contextLength?: number | undefined;
}

/** Remaining budget of one answer with tools. */
export type ToolBudget = ReturnType<typeof createToolBudget>;

/** Results may fill half of the context, at about four characters a token. */
const RESULT_CHARACTERS_PER_CONTEXT_TOKEN = 2;
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** Shorter results would be useless to the model. */
const MIN_RESULT_CHARACTERS = 500;

export function createToolBudget(
  { clock, findPrice }: ToolBudgetDeps,
  { limits, contextLength = DEFAULT_CONTEXT_TOKENS }: ToolBudgetOptions,
) {
  const endsAt = clock.now() + limits.totalMs;
  let tokens = 0;
  let costUsd = 0;
  const callCounts = new Map<string, number>();
  let charactersLeft = contextLength * RESULT_CHARACTERS_PER_CONTEXT_TOKEN;
  const leftMs = (): number => endsAt - clock.now();
  return {
    leftMs,
    isUsedUp: (step: number): boolean =>
      step >= limits.steps ||
      leftMs() <= 0 ||
      tokens >= limits.tokens ||
      costUsd >= limits.costUsd ||
      charactersLeft <= 0,
    add(outcome: ChatOutcome): void {
      const { provider, model, usage } = outcome;
      const used = usage ?? { promptTokens: 0, completionTokens: countDeltaTokens(outcome) };
      const cost = toTokenCost(findPrice?.(provider, model), used);
      if (cost === undefined) tokens += used.promptTokens + used.completionTokens;
      else costUsd += cost;
    },
    /** Counts a call. @returns false if the tool's maximum for one answer is exceeded. */
    takeCall({ name, maxCalls = Number.POSITIVE_INFINITY }: Pick<Tool, 'name' | 'maxCalls'>): boolean {
      const count = (callCounts.get(name) ?? 0) + 1;
      callCounts.set(name, count);
      return count <= maxCalls;
    },
    /** Returns the maximum length of each of `count` results, in characters. */
    resultCharacters: (count: number): number =>
      Math.max(
        MIN_RESULT_CHARACTERS,
        Math.min(limits.resultCharacters, Math.floor(charactersLeft / Math.max(1, count))),
      ),
    recordResult(content: string): void {
      charactersLeft -= content.length;
    },
  };
}
