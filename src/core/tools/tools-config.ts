import type { JsonObject } from '../../lib/json.ts';
import { DEFAULT_TOOL_LIMITS, type ToolLimits } from './tool-limits.ts';

/** Which tools models have in chats. */
export interface ToolsConfig {
  /** Tools that need no setting up. */
  readonly builtIn: readonly BuiltInTool[];
  /** What the operator has added, in the order of preference. */
  readonly sources: readonly ToolSourceConfig[];
  readonly limits: ToolLimits;
  /** Whether calls of built-in tools always or never need the permission of the user. Unset: each tool decides by itself. */
  readonly askForBuiltIn?: Readonly<Partial<Record<BuiltInTool, boolean>>> | undefined;
}

export const BUILT_IN_TOOLS = ['calculator', 'current_time', 'read_web_page', 'draw_picture'] as const;
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/** What counts where nothing is set. */
export const DEFAULT_TOOLS_CONFIG: ToolsConfig = { builtIn: BUILT_IN_TOOLS, sources: [], limits: DEFAULT_TOOL_LIMITS };

export type ToolSourceConfig = McpServerConfig | FunctionEndpointConfig;

/** Any source of tools. */
interface CommonSourceConfig {
  /** Unique, lowercase. Goes before the names of its tools where two sources have one of the same name. */
  readonly name: string;
  /** Values of variables that were put into it: nothing that is logged or told may contain them. */
  readonly secrets: readonly string[];
  /** Whether calls always or never need the permission of the user, for all tools or by their names. Unset: each tool decides by itself. */
  readonly ask?: boolean | Readonly<Record<string, boolean>> | undefined;
}

/** A server that speaks the Model Context Protocol. */
export interface McpServerConfig extends CommonSourceConfig {
  readonly kind: 'mcp';
  readonly reach:
    | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
    /** A program of this machine that is started and spoken to over its standard input and output. */
    | {
        readonly kind: 'command';
        readonly command: string;
        readonly args: readonly string[];
        /** Beside the few variables that every program needs; it gets no others. */
        readonly env: Readonly<Record<string, string>>;
      };
  /** Only these of its tools; undefined means all. */
  readonly only: readonly string[] | undefined;
}

/** One function, as OpenAI's protocol describes it, behind an address: the arguments are posted there as JSON. */
export interface FunctionEndpointConfig extends CommonSourceConfig {
  readonly kind: 'function';
  readonly description: string;
  readonly parameters: JsonObject;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
