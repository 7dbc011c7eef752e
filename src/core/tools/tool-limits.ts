/** How far a model may go with tools in one answer. */
export interface ToolLimits {
  /** How often it may ask for tools; after that it has to answer with what it has. */
  readonly steps: number;
  /** Calls at the same time; further ones of the same step are refused, and the model is told. */
  readonly callsAtOnce: number;
  /** One call. */
  readonly callTimeoutMs: number;
  /** The whole answer: after this no tool is offered any more. */
  readonly totalMs: number;
  /** Characters of one result; what is longer is cut. */
  readonly resultCharacters: number;
  /** Tokens of all steps together, where the price is not known; after this no tool is offered any more. */
  readonly tokens: number;
  /** US dollars of all steps together, where the price of the model is known; after this no tool is offered any more. */
  readonly costUsd: number;
}

export const DEFAULT_TOOL_LIMITS: ToolLimits = {
  steps: 8,
  callsAtOnce: 8,
  callTimeoutMs: 30_000,
  totalMs: 180_000,
  resultCharacters: 16_000,
  tokens: 400_000,
  costUsd: 0.5,
};
