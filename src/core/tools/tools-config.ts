import type { JsonObject } from '../../lib/json/json.ts';
import type { WebSearchService } from '../web-search/index.ts';

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

/** Configuration of the tools that models can call in chats. */
export interface ToolsConfig {
  /** Built-in tools that are enabled. */
  readonly builtIn: readonly BuiltInTool[];
  /** Sources that the operator has added, in the order of preference. */
  readonly sources: readonly ToolSourceConfig[];
  readonly limits: ToolLimits;
  /** Services of `web_search`, in the order of preference. Default none: there is no such tool. */
  readonly webSearch?: readonly WebSearchService[] | undefined;
  /**
   * Whether calls of built-in tools always or never need the permission of the user. Unset: each tool decides by
   * itself.
   */
  readonly askForBuiltIn?: Readonly<Partial<Record<BuiltInTool, boolean>>> | undefined;
}

export const BUILT_IN_TOOLS = [
  'calculator',
  'current_time',
  'read_web_page',
  'web_search',
  'draw_picture',
  'draw_chart',
  'remember',
  'forget',
  'schedule_task',
  'list_tasks',
  'cancel_task',
  'search_library',
  'read_library',
] as const;
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/** Default configuration. */
export const DEFAULT_TOOLS_CONFIG: ToolsConfig = { builtIn: BUILT_IN_TOOLS, sources: [], limits: DEFAULT_TOOL_LIMITS };

export type ToolSourceConfig = McpServerConfig | FunctionEndpointConfig;

/** Options of every tool source. */
interface CommonSourceConfig {
  /** Unique, lowercase. Prefixes those of its tools whose names are already taken. */
  readonly name: string;
  /** Values of variables in its settings. They are removed from logs and error messages. */
  readonly secrets: readonly string[];
  /**
   * Whether calls always or never need the permission of the user, for all tools or by name. Unset: each tool decides
   * by itself.
   */
  readonly ask?: boolean | Readonly<Record<string, boolean>> | undefined;
}

/** A server that speaks the Model Context Protocol. */
export interface McpServerConfig extends CommonSourceConfig {
  readonly kind: 'mcp';
  readonly reach:
    | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
    /** A local program that communicates over standard input and output. */
    | {
        readonly kind: 'command';
        readonly command: string;
        readonly args: readonly string[];
        /**
         * Environment variables in addition to the library's minimal set (`PATH`, `HOME` and the like); it inherits no
         * others.
         */
        readonly env: Readonly<Record<string, string>>;
      };
  /** Names of the tools to use; undefined means all. */
  readonly only: readonly string[] | undefined;
}

/** One function in the sense of OpenAI's API, behind a URL: the arguments are posted there as JSON. */
export interface FunctionEndpointConfig extends CommonSourceConfig {
  readonly kind: 'function';
  readonly description: string;
  readonly parameters: JsonObject;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
