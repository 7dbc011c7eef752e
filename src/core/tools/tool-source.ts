import type { Tool } from './tool.ts';

/** Where tools come from that the operator has added. */
export interface ToolSource {
  readonly name: string;
  /** The tools that can be asked for now, under their own names. */
  list(): readonly Tool[];
  /** Why there are none; undefined while all is well. Holds no secret. */
  readonly lastError: string | undefined;
  /** Looks for the tools once, and from then on keeps the list up to date. Resolves with the first outcome, whichever; never throws. */
  start(): Promise<void>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** How a source stands, for people who run the service. */
export interface ToolSourceStatus {
  readonly name: string;
  readonly toolNames: readonly string[];
  readonly lastError: string | undefined;
}
