/** Limits on the use of tools in one answer. */
export interface ToolLimits {
  /** Maximum number of steps with tool calls; then the model must answer. */
  readonly steps: number;
  /** Maximum number of concurrent calls. Further calls of the same step are refused with a message to the model. */
  readonly callsAtOnce: number;
  /** Timeout of one call. */
  readonly callTimeoutMs: number;
  /** Time limit for the whole answer. After it no tools are offered. */
  readonly totalMs: number;
  /** Maximum number of characters in one result; longer results are cut. */
  readonly resultCharacters: number;
  /** Maximum number of tokens in all steps, for models with unknown price. After it no tools are offered. */
  readonly tokens: number;
  /** Maximum cost of all steps in US dollars, for models with known price. After it no tools are offered. */
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
