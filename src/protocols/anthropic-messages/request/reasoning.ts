import { UntranslatableError } from '../../../core/models/contract/model-errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { OptionalParameter } from '../../optional-parameter.ts';
import type { ModelFacts } from '../model-facts.ts';

export interface ReasoningOptions {
  readonly facts: ModelFacts | undefined;
  readonly maxTokens: number;
  /** The other fields of `output_config`. */
  readonly outputConfig: JsonObject;
  /** Whether thinking of the same answer is missing. Models that take a number of tokens can't reason then. */
  readonly lacksThinking: boolean;
  /** False: an effort that the model does not have is left out. */
  readonly isRequired: boolean;
}

const PARAM = 'reasoning_effort';
const MIN_BUDGET_TOKENS = 1024;
/** Anthropic advises against more in one request. */
const MAX_BUDGET_TOKENS = 32_000;
/** Share of the answer that may be reasoning, for models that take a number of tokens instead of an effort. */
const BUDGET_SHARES: Readonly<Record<string, number>> = { low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.9 };

/**
 * Converts OpenAI's `reasoning_effort`. Newer models choose how much to reason and take an effort, older ones take a
 * number of tokens. Both ways are tried if it is unknown which one the model supports.
 * @throws UntranslatableError if it is required and the model has no equivalent.
 */
export function toReasoning(effort: string, options: ReasoningOptions): OptionalParameter {
  return effort === 'none' ? toNoReasoning(options) : toEffort(effort === 'minimal' ? 'low' : effort, options);
}

function toNoReasoning({ facts, isRequired }: ReasoningOptions): OptionalParameter {
  const types = ['disabled', 'between_tools'].filter((type) => facts?.thinkingTypes?.has(type) ?? true);
  if (types.length === 0 && isRequired)
    throw new UntranslatableError(PARAM, "must not be 'none': this model always reasons");
  const ways = types.map((type) => ({ thinking: { type } }));
  return { name: 'no reasoning', about: /thinking/i, ways, isRequired };
}

function toEffort(effort: string, options: ReasoningOptions): OptionalParameter {
  const { facts, maxTokens, outputConfig, isRequired, lacksThinking } = options;
  const accepts = (type: string) => facts?.thinkingTypes?.has(type) ?? true;
  const isAdaptive = accepts('adaptive');
  // Without `display` newer models leave the text of their reasoning out.
  const display = 'summarized';
  const budget = lacksThinking ? undefined : toBudget(effort, maxTokens);
  const effortFields = facts?.acceptsEffort === false ? {} : { output_config: { ...outputConfig, effort } };
  const ways: JsonObject[] = [];
  if (isAdaptive) ways.push({ ...effortFields, thinking: { type: 'adaptive', display } });
  if (accepts('enabled') && budget !== undefined && (!isAdaptive || !facts?.thinkingTypes)) {
    const fields = facts?.acceptsEffort ? effortFields : {};
    ways.push({ ...fields, thinking: { type: 'enabled', budget_tokens: budget } });
  }
  if (ways.length > 0 || !isRequired) return { name: 'reasoning', about: /thinking|effort/i, ways, isRequired };
  throw accepts('enabled')
    ? new UntranslatableError(PARAM, `needs more than ${MIN_BUDGET_TOKENS} tokens for the answer of this model`)
    : new UntranslatableError(PARAM, 'is not supported: this model does not reason');
}

/** Returns the tokens for reasoning, fewer than `maxTokens`; undefined if that leaves too few. */
function toBudget(effort: string, maxTokens: number): number | undefined {
  const share = BUDGET_SHARES[effort];
  if (share === undefined || maxTokens <= MIN_BUDGET_TOKENS) return undefined;
  return Math.round(Math.min(MAX_BUDGET_TOKENS, Math.max(MIN_BUDGET_TOKENS, maxTokens * share)));
}
