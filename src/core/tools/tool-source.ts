import type { Tool } from './tool.ts';

/** A source of tools that the operator has added. */
export interface ToolSource {
  readonly name: string;
  /** The tools that are available now, under their own names. */
  list(): readonly Tool[];
  /** Why there are no tools; undefined without an error. Contains no secrets. */
  readonly lastError: string | undefined;
  /**
   * Loads the tools, then keeps the list up to date. Resolves after the first attempt, successful or not. Never throws.
   */
  start(): Promise<void>;
  /** Aborts running calls. */
  close(): Promise<void>;
}

/** Status of a source, for operators. */
export interface ToolSourceStatus {
  readonly name: string;
  readonly toolNames: readonly string[];
  readonly lastError: string | undefined;
}
